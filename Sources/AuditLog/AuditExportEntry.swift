import Names

extension AuditEntry {
    /// Parses the words of an entry's line. Returns nil if `AuditExport.line` never writes them.
    init?(_ words: [ArraySlice<UInt8>]) {
        guard words.count >= 4, let number = Self.number(words[1]), let seconds = Self.time(words[2]),
            let event = AuditExport.unescaped(words[3]), (1...AuditExport.eventBytes).contains(event.count)
        else { return nil }
        var fields: [String: [UInt8]] = [:]
        for word in words.dropFirst(4) {
            guard let mark = word.firstIndex(of: UInt8(ascii: "=")),
                let value = AuditExport.unescaped(word[(mark + 1)...]), value.count <= AuditExport.fieldBytes,
                fields.updateValue(value, forKey: String(decoding: word[..<mark], as: UTF8.self)) == nil
            else { return nil }
        }
        guard let actor = Self.actor(of: &fields) else { return nil }
        var device: [UInt8]?
        if let text = fields.removeValue(forKey: "device") {
            guard let id = DeviceID(text: text) else { return nil }
            device = id.bytes
        }
        self.init(
            number: number, unixSeconds: seconds, event: event, user: fields.removeValue(forKey: "user"),
            device: device, detail: fields.removeValue(forKey: "detail") ?? [], actor: actor.value)
        // An entry has exactly one text: unknown fields, another order and an empty detail are refused.
        guard fields.isEmpty, AuditExport.line(self).utf8.elementsEqual(words.joined(separator: [0x20])) else {
            return nil
        }
    }

    private struct Found {
        let value: AuditActor?
    }

    private static func actor(of fields: inout [String: [UInt8]]) -> Found? {
        guard let word = fields.removeValue(forKey: "actor") else { return Found(value: nil) }
        guard let kind = AuditActor.Kind.allCases.first(where: { Array($0.word.utf8) == word }) else { return nil }
        var uid: UInt32?
        if let text = fields.removeValue(forKey: "uid") {
            guard let value = number(text[...]).flatMap({ UInt32(exactly: $0) }) else { return nil }
            uid = value
        }
        return Found(
            value: AuditActor(
                kind: kind, name: fields.removeValue(forKey: "name"), place: fields.removeValue(forKey: "place"),
                uid: uid))
    }

    /// Parses decimal digits without a sign or leading zeros.
    static func number(_ word: ArraySlice<UInt8>) -> UInt64? {
        guard let value = UInt64(String(decoding: word, as: UTF8.self)), "\(value)".utf8.elementsEqual(word) else {
            return nil
        }
        return value
    }

    static func time(_ word: ArraySlice<UInt8>) -> Int64? {
        guard let value = Int64(String(decoding: word, as: UTF8.self)), "\(value)".utf8.elementsEqual(word) else {
            return nil
        }
        return value
    }
}
