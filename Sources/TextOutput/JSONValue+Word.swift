// Embedded Swift does not know what its cases are called.
#if !hasFeature(Embedded)
    extension JSONValue {
        /// A case of an enumeration as JSON has it: `mustChangePassword` is `must_change_password`.
        public static func word(_ value: some Sendable) -> JSONValue {
            var word = ""
            for scalar in "\(value)".unicodeScalars {
                if scalar.properties.isUppercase, !word.isEmpty { word += "_" }
                word += scalar.properties.lowercaseMapping
            }
            return .text(word)
        }
    }
#endif
