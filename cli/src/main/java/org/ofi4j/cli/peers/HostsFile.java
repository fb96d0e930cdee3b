// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.ofi4j.AddressResolver;

/**
 * Resolves names with a file in the syntax of hosts(5), and asks nobody else. Immutable once read.
 */
public final class HostsFile implements AddressResolver {
  private final String source;
  private final Map<String, List<NumericHost>> hosts = new HashMap<>();

  private HostsFile(String source) {
    this.source = source;
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read, or a line is wrong
   */
  public static HostsFile read(InputStream in, String source) throws IOException {
    HostsFile file = new HostsFile(source);
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    int number = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      // An editor may have put a byte order mark there, which nobody sees.
      boolean marked = number == 0 && line.startsWith("\uFEFF");
      file.add(marked ? line.substring(1) : line, ++number);
    }
    return file;
  }

  private void add(String line, int number) throws IOException {
    int comment = line.indexOf('#');
    String text = (comment < 0 ? line : line.substring(0, comment)).strip();
    if (text.isEmpty()) {
      return;
    }
    String[] words = text.split("\\s+", -1);
    NumericHost address = NumericHost.parse(words[0]);
    if (address == null || words.length < 2) {
      throw new IOException(
          source + ":" + number + ": \"" + text + "\" is not an address followed by names");
    }
    for (int i = 1; i < words.length; i++) {
      hosts.computeIfAbsent(key(words[i]), name -> new ArrayList<>(1)).add(address);
    }
  }

  private static String key(String host) {
    return host.toLowerCase(Locale.ROOT);
  }

  @Override
  public List<InetAddress> resolve(String host) throws UnknownHostException {
    List<NumericHost> addresses = hosts.get(key(host));
    if (addresses == null) {
      throw new UnknownHostException(host + " is not in " + source);
    }
    List<InetAddress> usable = new ArrayList<>(addresses.size());
    for (NumericHost address : addresses) {
      if (address.missing() == null) {
        usable.add(address.address());
      }
    }
    // A file may come from another host. Its zones matter only to the names that have no other
    // address.
    return usable.isEmpty() ? List.of(addresses.getFirst().required()) : usable;
  }
}
