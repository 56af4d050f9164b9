import ControlProtocol

extension SiteRequest {
    /// Codes the fields of requests about administrators and proposals.
    mutating func codeAdministration(_ coder: inout FieldCoder) throws(ControlMessageError) {
        switch self {
        case .addAdministrator(var wish, var reason):
            try wish.code(&coder)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .addAdministrator(wish, reason: reason)
        case .changeAdministrator(var wish, var reason):
            try wish.code(&coder)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .changeAdministrator(wish, reason: reason)
        case .removeAdministrator(var name, var reason):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .removeAdministrator(name: name, reason: reason)
        case .approve(var proposal, var alone, var reason):
            try coder.text("proposal", &proposal, limit: SiteControlLimits.proposalBytes)
            try coder.flag("alone", &alone)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .approve(proposal: proposal, alone: alone, reason: reason)
        case .reject(var proposal, var reason):
            try coder.text("proposal", &proposal, limit: SiteControlLimits.proposalBytes)
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .reject(proposal: proposal, reason: reason)
        case .acceptDirectory(var reason):
            try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
            self = .acceptDirectory(reason: reason)
        case .passkeyLink(var name):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            self = .passkeyLink(administrator: name)
        case .passkeys(var name):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            self = .passkeys(administrator: name)
        case .removePasskeys(var name):
            try coder.text("name", &name, limit: SiteControlLimits.nameBytes)
            self = .removePasskeys(administrator: name)
        case .exportAudit(var after):
            try coder.number("after", &after)
            self = .exportAudit(after: after)
        case .audit(var wish):
            try wish.code(&coder)
            self = .audit(wish)
        default: break
        }
    }
}
