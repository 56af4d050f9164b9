enum PlaceholderPhoneKit {}
