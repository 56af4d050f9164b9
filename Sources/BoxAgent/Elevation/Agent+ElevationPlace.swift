import AgentCore
import Sessions

extension Agent {
    func elevationPlace(of process: Int32) async -> ElevationPlace? {
        guard let found = await logind.caller(ofProcess: process) else { return nil }
        let owned = sessions[.logind(Array(found.session.id.utf8))]
        return ElevationPlace(
            session: found.session, isInBackground: found.isInBackground, isLockedByAgent: owned?.locked ?? false)
    }
}
