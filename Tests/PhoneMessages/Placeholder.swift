enum PlaceholderPhoneMessagesTests {}
