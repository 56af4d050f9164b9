enum PlaceholderBoxAgentTests {}
