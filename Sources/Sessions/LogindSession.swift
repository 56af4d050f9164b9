import AgentCore
import DBus

extension LogindSession {
    /// Keeps the lock state that was known before all properties were queried again.
    mutating func takeOver(from known: LogindSession) {
        guard known.openedMicroseconds == openedMicroseconds, known.lockedHint == lockedHint else { return }
        isLocked = known.isLocked
    }

    /// Applies changed properties. Values of an undocumented type are ignored.
    mutating func update(_ changed: [String: DBusValue]) {
        if let pair = changed["User"]?.fields, let id = pair.first?.integer { userID = UInt32(clamping: id) }
        if let text = changed["Name"]?.text { user = text }
        if let pair = changed["Seat"]?.fields, let text = pair.first?.text { seat = text }
        if let number = changed["VTNr"]?.integer { virtualTerminal = number }
        if let text = changed["TTY"]?.text { terminal = text }
        if let text = changed["Display"]?.text { display = text }
        if let number = changed["Leader"]?.integer { leader = Int32(clamping: number) }
        if let text = changed["Type"]?.text { type = text }
        if let text = changed["Service"]?.text { service = text }
        if let text = changed["Class"]?.text { sessionClass = text }
        if let text = changed["State"]?.text { state = text }
        if let flag = changed["Remote"]?.flag { isRemote = flag }
        if let flag = changed["Active"]?.flag { isActive = flag }
        if let flag = changed["LockedHint"]?.flag, flag != lockedHint { (lockedHint, isLocked) = (flag, flag) }
        if let number = changed["TimestampMonotonic"]?.integer { openedMicroseconds = Int64(number) }
        if let number = changed["IdleSinceHintMonotonic"]?.integer { idleSince = .microseconds(number) }
        if let flag = changed["IdleHint"]?.flag { isIdle = flag }
        if !isIdle { idleSince = nil }
    }
}
