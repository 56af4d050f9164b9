extension Array {
    /// Inserts an element in order, after its equals. For short arrays: `sort` would add 4 KB to the web page.
    @inline(never)
    mutating func insert(_ element: Element, where precedes: (Element, Element) -> Bool) {
        insert(element, at: firstIndex { precedes(element, $0) } ?? count)
    }
}
