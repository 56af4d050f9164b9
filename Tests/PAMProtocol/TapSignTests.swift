import PAMProtocol
import Testing

@Suite struct TapSignTests {
    @Test("The sign stands beside the socket") func theSignStandsBesideTheSocket() {
        #expect(TapSign.path(besides: bytes("/run/boxagent/pam.sock")) == bytes("/run/boxagent/tap"))
        #expect(TapSign.path(besides: bytes("/pam.sock")) == bytes("/tap"))
        #expect(TapSign.path(besides: bytes("pam.sock")) == nil)
    }
}
