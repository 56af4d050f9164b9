enum PlaceholderAgentProtocolTests {}
