import CLinux
import Glibc

extension SeqPacketConnection {
    /// Takes over a connected descriptor from another program, such as one from a D-Bus message.
    public static func adopting(_ descriptor: Int32, on loop: EpollLoop) throws(SocketError) -> SeqPacketConnection {
        let made = clinux_set_nonblocking_cloexec(descriptor)
        guard made >= 0 else {
            Glibc.close(descriptor)
            throw .system(SystemError(code: -made, attempt: "take over a socket"))
        }
        return try SeqPacketConnection(owning: descriptor, on: loop)
    }

    /// Makes a connection and its other end for another program. The caller closes the other end after passing it on.
    public static func withOtherEnd(
        on loop: EpollLoop
    ) throws(SocketError) -> (connection: SeqPacketConnection, otherEnd: Int32) {
        var ends: [Int32] = [-1, -1]
        let made = clinux_seqpacket_pair(&ends)
        guard made >= 0 else { throw .system(SystemError(code: -made, attempt: "make a pair of sockets")) }
        do throws(SocketError) {
            return (try SeqPacketConnection(owning: ends[0], on: loop), ends[1])
        } catch {
            Glibc.close(ends[1])
            throw error
        }
    }
}
