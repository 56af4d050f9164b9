import CPAM
import PAMLogicEmbedded

/// A PAM handle as this module uses it. Everything is copied out bounded: items come from the program.
struct PAMHandle {
    let pointer: OpaquePointer

    enum Item {
        case absent
        case text([UInt8])
        /// Longer than the caller has use for.
        case tooLong
    }

    /// A text item, without NUL, of at most `limit` bytes.
    func item(_ kind: Int32, limit: Int) -> Item {
        Self.text(itemPointer(kind), limit: limit)
    }

    /// Whether a module before us has a password already.
    var hasAuthtok: Bool { itemPointer(PAM_AUTHTOK) != nil }

    /// What this module has hung on the handle under that name; nil for nothing.
    // SAFETY: libpam's pointer, which is valid until the data is replaced or the handle ends.
    @inline(never)
    func data(_ name: StaticString) -> UnsafeMutableRawPointer? {
        var data: UnsafeRawPointer?
        guard pam_get_data(pointer, name.cString, &data) == PAM_SUCCESS else { return nil }
        return UnsafeMutableRawPointer(mutating: data)
    }

    /// A variable of the PAM environment; the process environment is not read by this module.
    func variable(_ name: StaticString, limit: Int) -> Item {
        // SAFETY: libpam owns the value, which lives until the variable changes; it is copied here.
        Self.text(UnsafeRawPointer(pam_getenv(pointer, name.cString)), limit: limit)
    }

    /// The PAM environment, one `NAME=value` after the other; longer ones are left out.
    // SAFETY: pam_getenvlist gives a null-terminated list of C strings, list and strings ours to free.
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

    /// Whether PAM_AUTHTOK is these bytes.
    // SAFETY: libpam owns the C string, which strnlen reads no further than it goes.
    func authtokEquals(_ expected: UnsafeRawBufferPointer) -> Bool {
        guard let value = itemPointer(PAM_AUTHTOK), let start = expected.baseAddress else { return false }
        return strnlen(value.assumingMemoryBound(to: CChar.self), expected.count &+ 1) == expected.count
            && memcmp(value, start, expected.count) == 0
    }

    /// libpam copies the text. `text` ends with NUL.
    func set(_ kind: Int32, _ text: UnsafeRawPointer?) -> Bool {
        // SAFETY: the caller's text is read during the call only.
        pam_set_item(pointer, kind, text) == PAM_SUCCESS
    }

    func log(_ priority: Int32, _ line: TextLine) {
        line.bytes.withCString { cpam_log(pointer, priority, $0) }
    }

    /// Shows a line through the program's conversation. A program that cannot show it has not failed to log in.
    func show(_ line: TextLine) {
        line.bytes.withCString { _ = cpam_show(pointer, $0) }
    }

    // SAFETY: the pointer is libpam's and is valid until the item is set again; callers copy at once.
    private func itemPointer(_ kind: Int32) -> UnsafeRawPointer? {
        var value: UnsafeRawPointer?
        guard pam_get_item(pointer, kind, &value) == PAM_SUCCESS else { return nil }
        return value
    }

    // SAFETY: `value` is a C string of libpam's; strnlen stays inside it or inside the limit.
    private static func text(_ value: UnsafeRawPointer?, limit: Int) -> Item {
        guard let value, limit >= 0 else { return .absent }
        let length = strnlen(value.assumingMemoryBound(to: CChar.self), limit &+ 1)
        guard length <= limit else { return .tooLong }
        return .text([UInt8](UnsafeRawBufferPointer(start: value, count: length)))
    }
}

extension StaticString {
    // SAFETY: literals of this module are ASCII, end with NUL and live as long as the module.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension [UInt8] {
    /// Lends the bytes with a NUL behind them.
    // SAFETY: the copy lives as long as the call, and is bytes, whichever way C signs them.
    func withCString(_ body: (UnsafePointer<CChar>) -> Void) {
        var terminated = self
        terminated.append(0)
        terminated.withUnsafeBytes { buffer in
            if let start = buffer.baseAddress { body(start.assumingMemoryBound(to: CChar.self)) }
        }
    }
}
