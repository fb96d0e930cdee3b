// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.provider.net.EndpointProcess;
import org.ofi4j.provider.net.NetProvider;
import org.ofi4j.provider.net.Rig;

/** An endpoint of a process that has no file descriptor left for the connections of its peers. */
class AcceptShortageTest {
  private static final String WARNING = "none can be accepted";

  /** Opens an endpoint, uses up the descriptors, and gives them back when a line is read. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) throws Exception {
      try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
        System.out.println(rig.name());
        loadClasses();
        List<RandomAccessFile> files = new ArrayList<>();
        try {
          while (true) {
            files.add(new RandomAccessFile("/dev/null", "r"));
          }
        } catch (IOException exhausted) {
          System.out.println("exhausted");
        }
        System.in.read();
        for (RandomAccessFile file : files) {
          file.close();
        }
        System.in.read();
      }
    }

    /** Loads all classes, as those in a directory cannot be loaded without a descriptor. */
    private static void loadClasses() throws Exception {
      System.getLogger(Program.class.getName()).log(System.Logger.Level.WARNING, "begins");
      for (Class<?> each :
          List.of(
              NetProvider.class, KitFabric.class, KitFabric.class.getSuperclass(), Fabrics.class)) {
        Path home = Path.of(each.getProtectionDomain().getCodeSource().getLocation().toURI());
        if (Files.isDirectory(home)) {
          try (Stream<Path> files = Files.walk(home)) {
            for (Path file : files.map(home::relativize).toList()) {
              String name = file.toString();
              if (name.endsWith(".class") && !name.equals("module-info.class")) {
                name = name.substring(0, name.length() - ".class".length()).replace('/', '.');
                Class.forName(name, false, each.getClassLoader());
              }
            }
          }
        }
      }
    }
  }

  @Test
  void connectionsThatWaitForADescriptorAreAcceptedWhenOneIsFree() throws Exception {
    List<String> limited =
        new ArrayList<>(List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh"));
    limited.addAll(EndpointProcess.builder(Program.class, List.of("-Xmx64m")).command());
    Process process = new ProcessBuilder(limited).redirectErrorStream(true).start();
    List<AutoCloseable> open = new ArrayList<>();
    List<Socket> sockets = new ArrayList<>();
    try (BufferedReader output =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      FabricAddress name = FabricAddress.parse(String.valueOf(output.readLine()));
      assertThat(lineWith("exhausted", output)).isNotNull();
      for (int i = 0; i < 3; i++) {
        RawPeer peer = new RawPeer();
        open.add(peer);
        Socket socket = RawPeer.connect(name);
        open.add(socket);
        sockets.add(socket);
        socket.getOutputStream().write(peer.request(7));
      }
      assertThat(lineWith(WARNING, output)).contains("ulimit -n");
      goOn(process);
      for (Socket socket : sockets) {
        assertThat(RawPeer.read(socket, 32)[1]).isEqualTo((byte) 1);
      }
      goOn(process);
      assertThat(lineWith(WARNING, output)).as("a second warning").isNull();
    } finally {
      process.destroyForcibly();
      for (AutoCloseable each : open) {
        each.close();
      }
    }
  }

  private static void goOn(Process process) throws IOException {
    process.getOutputStream().write('\n');
    process.getOutputStream().flush();
  }

  /** Reads on to a line that contains a text; null if the process ends before. */
  private static @Nullable String lineWith(String text, BufferedReader output) throws IOException {
    String line = output.readLine();
    while (line != null && !line.contains(text)) {
      line = output.readLine();
    }
    return line;
  }
}
