extension Array {
    /// Inserts an element after all that it does not precede. For few elements: a `sort` adds 4 KB to the page.
    @inline(never)
    mutating func insert(_ element: Element, where precedes: (Element, Element) -> Bool) {
        insert(element, at: firstIndex { precedes(element, $0) } ?? count)
    }
}
