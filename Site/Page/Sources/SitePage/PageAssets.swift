import Hummingbird

/// Files that are the same for everybody: style, script, icon.
enum PageAssets {
    private static let all: [String: (type: String, bytes: [UInt8])] = [
        "/style.css": ("text/css; charset=utf-8", PackageResources.style_css),
        "/page.js": ("text/javascript; charset=utf-8", PackageResources.page_js),
        "/icon.svg": ("image/svg+xml", PackageResources.icon_svg),
    ]

    static var paths: [String] { all.keys.sorted() }

    static func has(_ path: String) -> Bool { all[path] != nil }

    static func response(_ path: String) -> Response {
        guard let (type, bytes) = all[path] else { return Response(status: .notFound) }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
            body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
