enum PlaceholderPhoneMessages {}
