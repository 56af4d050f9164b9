# Section KEYS of boxagent.toml(5), in mdoc, from packaging/boxagent.toml.

/^# --- / {
    if (section) print ".El"
    section = $3
    printf ".Ss [%s]\n.Bl -tag -width 4n\n", section
    next
}
!section || /^$/ { next }
/^# [a-z_]+\.[a-z_]+ = / {
    sub(/^# [a-z_]+\./, "")
    gsub(/"/, "\\(dq")
    sub(/ = /, " No = Li ")
    print ".It Ic " $0
    printf "%s", meaning
    meaning = ""
    next
}
{
    sub(/^# /, "")
    gsub(/\\/, "\\e")
    # A line that begins so would be a request.
    sub(/^[.']/, "\\\\\\&&")
    gsub(/\. '/, ".\n\\\\\\&'")
    gsub(/\. /, ".\n")
    meaning = meaning $0 "\n"
}
END { print ".El" }
