/// Fills a node through a container for a single value, a list or a record.
struct JSONNodeEncoder: Encoder {
    let node: JSONNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        if case .none = node.content { node.content = .record([]) }
        return KeyedEncodingContainer(JSONRecord(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .none = node.content { node.content = .list([]) }
        return JSONList(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        JSONSingle(node: node, codingPath: codingPath)
    }
}

private struct JSONSingle: SingleValueEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]

    func encodeNil() {
        node.content = .null
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try node.encode(value, at: codingPath)
    }
}

private struct JSONList: UnkeyedEncodingContainer {
    let node: JSONNode
    let codingPath: [any CodingKey]

    var count: Int {
        if case .list(let nodes) = node.content { nodes.count } else { 0 }
    }

    func encodeNil() {
        node.element().content = .null
    }

    func encode<Value: Encodable>(_ value: Value) throws {
        try node.element().encode(value, at: codingPath)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> JSONNodeEncoder {
        JSONNodeEncoder(node: node.element(), codingPath: codingPath)
    }
}

private struct JSONRecord<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private enum SuperKey: String, CodingKey {
        case `super`
    }

    let node: JSONNode
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) {
        node.field(key.stringValue).content = .null
    }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try node.field(key.stringValue).encode(value, at: codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<
        Nested
    > {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder(SuperKey.super) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: some CodingKey) -> JSONNodeEncoder {
        JSONNodeEncoder(node: node.field(key.stringValue), codingPath: codingPath + [key])
    }
}
