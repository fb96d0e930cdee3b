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

  /** A service, with its port, protocol and aliases. */
  private static final Pattern LINE =
      Pattern.compile("\\s*([^\\s#]+)\\s+([0-9]+)/(tcp|udp)(\\s[^#]*)?(#.*)?");

  private static final ServiceNames WELL_KNOWN =
      new ServiceNames(
          """
          echo          7/tcp
          discard       9/tcp
          daytime      13/tcp
          chargen      19/tcp
          ftp-data     20/tcp
          ftp          21/tcp
          ssh          22/tcp
          telnet       23/tcp
          smtp         25/tcp
          time         37/tcp
          domain       53/tcp
          bootps       67/udp
          bootpc       68/udp
          tftp         69/udp
          http         80/tcp
          kerberos     88/tcp
          pop3        110/tcp
          sunrpc      111/tcp
          ntp         123/udp
          imap2       143/tcp
          snmp        161/udp
          snmp-trap   162/udp
          ldap        389/tcp
          https       443/tcp
          microsoft-ds 445/tcp
          syslog      514/udp
          ldaps       636/tcp
          imaps       993/tcp
          pop3s       995/tcp
          nfs        2049/tcp
          mysql      3306/tcp
          postgresql 5432/tcp
          """
              .lines()
              .toList());

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
    int port = known(name, datagrams);
    return port < 0 ? WELL_KNOWN.known(name, datagrams) : port;
  }

  private int known(String name, boolean datagrams) {
    Integer port = ports.get(name + (datagrams ? "/udp" : "/tcp"));
    return port != null ? port : ports.getOrDefault(name + (datagrams ? "/tcp" : "/udp"), -1);
  }
}
