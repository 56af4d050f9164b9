/// An error that says itself what a person is told of it.
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
}
