import CPAM
import PAMLogicEmbedded

/// The PAM handle for this module. Every item is copied with a bound, because it comes from the program.
struct PAMHandle {
    let pointer: OpaquePointer

    enum Item {
        case absent
        case text([UInt8])
        /// The item is longer than the caller's limit.
        case tooLong
    }

    /// Returns a text item without NUL, of at most `limit` bytes.
    func item(_ kind: Int32, limit: Int) -> Item {
        Self.text(itemPointer(kind), limit: limit)
    }

    /// True if an earlier module already has a password.
    var hasAuthtok: Bool { itemPointer(PAM_AUTHTOK) != nil }

    /// Returns the data that this module stored under that name, or nil.
    // SAFETY: the pointer belongs to libpam, and is valid until the data is replaced or the handle ends.
    @inline(never)
    func data(_ name: StaticString) -> UnsafeMutableRawPointer? {
        var data: UnsafeRawPointer?
        guard pam_get_data(pointer, name.cString, &data) == PAM_SUCCESS else { return nil }
        return UnsafeMutableRawPointer(mutating: data)
    }

    /// Returns a variable of the PAM environment. This module never reads the process environment.
    func variable(_ name: StaticString, limit: Int) -> Item {
        // SAFETY: libpam owns the value, which lives until the variable changes. It is copied here.
        Self.text(UnsafeRawPointer(pam_getenv(pointer, name.cString)), limit: limit)
    }

    /// Passes each `NAME=value` of the PAM environment to `body`. Skips variables longer than `limit`.
    // SAFETY: pam_getenvlist returns a null-terminated list of C strings. We must free the list and the strings.
    func eachVariable(limit: Int, _ body: ([UInt8]) -> Void) {
        guard let list = pam_getenvlist(pointer) else { return }
        var next = list
        while let text = next.pointee {
            if case .text(let variable) = Self.text(UnsafeRawPointer(text), limit: limit) { body(variable) }
            explicit_bzero(text, strlen(text))
            free(text)
            next += 1
        }
        free(list)
    }

    /// Returns whether PAM_AUTHTOK equals these bytes.
    // SAFETY: libpam owns the C string, and strnlen does not read past its end.
    func authtokEquals(_ expected: UnsafeRawBufferPointer) -> Bool {
        guard let value = itemPointer(PAM_AUTHTOK), let start = expected.baseAddress else { return false }
        return strnlen(value.assumingMemoryBound(to: CChar.self), expected.count &+ 1) == expected.count
            && memcmp(value, start, expected.count) == 0
    }

    /// Sets an item to a copy of `text`, which ends with NUL.
    func set(_ kind: Int32, _ text: UnsafeRawPointer?) -> Bool {
        // SAFETY: the caller's text is read only during the call.
        pam_set_item(pointer, kind, text) == PAM_SUCCESS
    }

    func log(_ priority: Int32, _ line: TextLine) {
        line.bytes.withCString { cpam_log(pointer, priority, $0) }
    }

    /// Shows a line through the program's conversation. A failure to show it does not fail the login.
    func show(_ line: TextLine) {
        line.bytes.withCString { _ = cpam_show(pointer, $0) }
    }

    // SAFETY: libpam's pointer is valid until the item is set again, and callers copy at once.
    private func itemPointer(_ kind: Int32) -> UnsafeRawPointer? {
        var value: UnsafeRawPointer?
        guard pam_get_item(pointer, kind, &value) == PAM_SUCCESS else { return nil }
        return value
    }

    // SAFETY: `value` is a C string of libpam. strnlen stays inside the string and the limit.
    private static func text(_ value: UnsafeRawPointer?, limit: Int) -> Item {
        guard let value, limit >= 0 else { return .absent }
        let length = strnlen(value.assumingMemoryBound(to: CChar.self), limit &+ 1)
        guard length <= limit else { return .tooLong }
        return .text([UInt8](UnsafeRawBufferPointer(start: value, count: length)))
    }
}

extension StaticString {
    // SAFETY: the literals of this module are ASCII, end with NUL and live as long as the module.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension [UInt8] {
    /// Lends the bytes with a NUL after them.
    // SAFETY: the copy lives as long as the call. Its bytes are valid for either signedness of C's char.
    func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
        var terminated = self
        terminated.append(0)
        terminated.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { body(start.assumingMemoryBound(to: CChar.self)) }
        }
    }
}
