/// An error that provides its message for the user.
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
}
