enum PlaceholderPhoneKitTests {}
