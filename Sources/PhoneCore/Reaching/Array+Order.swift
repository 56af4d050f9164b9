extension Array {
    /// Puts an element behind all that it does not precede. For a few: an array's own sort takes 4 KB of the page for each kind.
    @inline(never)
    mutating func insert(_ element: Element, where precedes: (Element, Element) -> Bool) {
        insert(element, at: firstIndex { precedes(element, $0) } ?? count)
    }
}
