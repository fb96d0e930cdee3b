// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.ofi4j.ApiVersion;
import picocli.CommandLine.IVersionProvider;

/** What {@code --version} prints. */
public final class Version implements IVersionProvider {
  public static String current() {
    try (InputStream resource = Version.class.getResourceAsStream("version")) {
      if (resource == null) {
        return "unknown";
      }
      return new String(resource.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return "unknown";
    }
  }

  @Override
  public String[] getVersion() {
    return new String[] {
      "ofi4j " + current(),
      "libfabric API " + ApiVersion.LATEST,
      "Java " + Runtime.version() + ", " + System.getProperty("java.vm.name")
    };
  }
}
