// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The ports of service names, as getservbyname(3) answers them: from the system's services file,
 * and what that lacks from a table of the best known. Immutable.
 *
 * <p>A name that exists for one transport only serves the other too, as datagrams to "http" mean
 * port 80 whether or not the file says so.
 */
public final class ServiceNames {
  private static final Path SYSTEM_FILE = Path.of("/etc/services");

  private static final Map<String, Integer> WELL_KNOWN =
      Map.ofEntries(
          Map.entry("echo", 7),
          Map.entry("discard", 9),
          Map.entry("daytime", 13),
          Map.entry("chargen", 19),
          Map.entry("ftp-data", 20),
          Map.entry("ftp", 21),
          Map.entry("ssh", 22),
          Map.entry("telnet", 23),
          Map.entry("smtp", 25),
          Map.entry("time", 37),
          Map.entry("domain", 53),
          Map.entry("bootps", 67),
          Map.entry("bootpc", 68),
          Map.entry("tftp", 69),
          Map.entry("http", 80),
          Map.entry("kerberos", 88),
          Map.entry("pop3", 110),
          Map.entry("sunrpc", 111),
          Map.entry("ntp", 123),
          Map.entry("imap2", 143),
          Map.entry("snmp", 161),
          Map.entry("snmp-trap", 162),
          Map.entry("ldap", 389),
          Map.entry("https", 443),
          Map.entry("microsoft-ds", 445),
          Map.entry("syslog", 514),
          Map.entry("ldaps", 636),
          Map.entry("imaps", 993),
          Map.entry("pop3s", 995),
          Map.entry("nfs", 2049),
          Map.entry("mysql", 3306),
          Map.entry("postgresql", 5432));

  /** A service, with its port, protocol and aliases. */
  private static final Pattern LINE =
      Pattern.compile("\\s*([^\\s#]+)\\s+([0-9]+)/(tcp|udp)(\\s[^#]*)?(#.*)?");

  /** Ports by name and protocol, as {@code http/tcp}. */
  private final Map<String, Integer> ports = new HashMap<>();

  /** Reads lines of the form {@code name port/protocol alias... # comment}; skips all others. */
  ServiceNames(List<String> lines) {
    lines.forEach(this::add);
  }

  /** The names that this machine knows, read once. */
  static ServiceNames ofSystem() {
    return OfSystem.NAMES;
  }

  private static final class OfSystem {
    static final ServiceNames NAMES = new ServiceNames(systemLines());

    private static List<String> systemLines() {
      try {
        return Files.readAllLines(SYSTEM_FILE, ISO_8859_1);
      } catch (IOException none) {
        return List.of();
      }
    }
  }

  private void add(String line) {
    Matcher service = LINE.matcher(line);
    int port = service.matches() ? ServicePort.number(service.group(2)) : 0;
    if (port < 1 || port > ServicePort.MAX) {
      return;
    }
    String aliases = Objects.requireNonNullElse(service.group(4), "").stripTrailing();
    for (String name : (service.group(1) + aliases).split("\\s+", -1)) {
      ports.putIfAbsent(name + "/" + service.group(3), port);
    }
  }

  /**
   * The port of a service.
   *
   * @param name the name or an alias
   * @param datagrams whether the port for datagrams is meant, if there are two
   * @return 1 to 65535, or -1 if the name is not known
   */
  public int port(String name, boolean datagrams) {
    Integer port = ports.get(name + (datagrams ? "/udp" : "/tcp"));
    if (port == null) {
      port = ports.get(name + (datagrams ? "/tcp" : "/udp"));
    }
    return port != null ? port : WELL_KNOWN.getOrDefault(name, -1);
  }
}
