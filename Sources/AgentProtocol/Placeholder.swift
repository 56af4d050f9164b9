enum PlaceholderAgentProtocol {}
