// A C interface to toml++. A file becomes a flat list of keys with their values and positions.
//
// No exception crosses this boundary, no pointer outlives `ctoml_close`, and every size is bounded.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The largest file accepted, in bytes.
enum { ctoml_file_limit = 65536 };

typedef enum ctoml_kind {
    ctoml_kind_table = 1,
    ctoml_kind_text = 2,
    ctoml_kind_integer = 3,
    ctoml_kind_flag = 4,
    /// An array. Its elements are the entries `first_element` to `first_element + element_count - 1` of the document.
    ctoml_kind_array = 5,
    /// A float, a date or a time, which our configuration does not use.
    ctoml_kind_other = 6,
} ctoml_kind;

/// Bytes that the document owns: UTF-8, not terminated, possibly with NUL inside.
typedef struct ctoml_text {
    const uint8_t *_Nullable bytes;
    size_t count;
} ctoml_text;

typedef struct ctoml_entry {
    /// The names of the tables around the key, joined with dots. Empty at the top level.
    ctoml_text table;
    /// Empty for an element of an array.
    ctoml_text key;
    ctoml_kind kind;
    ctoml_text text;
    int64_t integer;
    bool flag;
    size_t first_element;
    size_t element_count;
    /// Line and column count from 1.
    uint32_t line;
    uint32_t column;
} ctoml_entry;

typedef enum ctoml_outcome {
    ctoml_parsed = 0,
    /// The system refused access. `system_error` has errno.
    ctoml_unreadable = 1,
    ctoml_not_a_file = 2,
    ctoml_too_large = 3,
    /// Every user may write to the file.
    ctoml_writable_by_others = 4,
    /// The file belongs neither to root nor to this process's user.
    ctoml_foreign_owner = 5,
    /// The file is not TOML. Line, column (0 if unknown) and message say where and why.
    ctoml_malformed = 6,
    ctoml_out_of_memory = 7,
} ctoml_outcome;

typedef struct ctoml_failure {
    int system_error;
    uint32_t line;
    uint32_t column;
    /// Terminated with NUL, cut to fit.
    char message[256];
} ctoml_failure;

typedef struct ctoml_document ctoml_document;

/// Reads and parses the file at `path`. Sets `*document` only for `ctoml_parsed`. The caller must then close it.
ctoml_outcome ctoml_open(
    const char *_Nonnull path, ctoml_document *_Nullable *_Nonnull document, ctoml_failure *_Nonnull failure);

/// Parses `count` bytes. Sets `*document` like `ctoml_open`.
ctoml_outcome ctoml_parse(
    const uint8_t *_Nullable bytes, size_t count, ctoml_document *_Nullable *_Nonnull document,
    ctoml_failure *_Nonnull failure);

/// Returns the number of entries, including elements of arrays.
size_t ctoml_count(const ctoml_document *_Nonnull document);

/// Returns the entry at `index`, or one of kind 0 if there is none. Its texts live as long as the document.
ctoml_entry ctoml_entry_at(const ctoml_document *_Nonnull document, size_t index);

void ctoml_close(ctoml_document *_Nullable document);

/// Describes errno `number`, independently of the locale.
void ctoml_describe_error(int number, char *_Nonnull text, size_t count);

#ifdef __cplusplus
}
#endif
