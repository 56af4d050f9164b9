// Embedded Swift does not have the names of cases.
#if !hasFeature(Embedded)
    extension JSONValue {
        /// Converts an enumeration case to JSON: `mustChangePassword` becomes `must_change_password`.
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
