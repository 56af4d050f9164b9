import Wire

/// The rules for a device's label. An administrator's terminal prints labels, so control characters are forbidden: C0,
/// DEL and C1 (U+0000…U+001F, U+007F…U+009F).
public enum LabelRules {
    /// Returns whether `label` is UTF-8 of at most `MessageLimits.labelBytes` bytes without control characters.
    public static func isAllowed(_ label: [UInt8]) -> Bool {
        guard label.count <= MessageLimits.labelBytes else { return false }
        return label.withRawSpan { span in
            UTF8Validation.isValid(span, in: 0..<label.count) && !containsControl(span)
        }
    }

    private static func containsControl(_ text: RawSpan) -> Bool {
        var before: UInt8 = 0
        for index in 0..<text.byteCount {
            let byte = text.byte(at: index)
            if byte < 0x20 || byte == 0x7F { return true }
            // C1 controls are C2 80 … C2 9F in UTF-8.
            if before == 0xC2, byte < 0xA0 { return true }
            before = byte
        }
        return false
    }
}
