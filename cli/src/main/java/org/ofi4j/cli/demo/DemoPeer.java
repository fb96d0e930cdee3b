// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;

/**
 * The other side of the demonstration. Takes one command a line and answers each with one line:
 *
 * <pre>
 *   insert ADDRESS   inserted HANDLE         inserts the address and sends to it from now on
 *   send TEXT        sent                    sends a message
 *   send-in N TEXT   sent                    sends a message in peer group N
 *   deliver TEXT     delivered, or refused   sends a message and waits until the other side has it
 *   receive          received HANDLE TEXT    waits for a message; HANDLE is "unknown" for a sender
 *                                            that is not in the vector
 *   look             received, or error      the same, but waits a moment only
 *   fill NODE N SERVICE M   filled COUNT    inserts M services of N nodes
 *   find ADDRESS     found HANDLE            finds an address in the vector
 *   size             size COUNT              how many entries the vector has
 *   echo COUNT       echoing, then echoed N  sends COUNT messages back as they come
 *   join             joined SIZE             joins a job, and waits until all are there
 *   heard            heard WHAT RANK         waits for what becomes of another member
 *   use HANDLE       using HANDLE            sends to that handle from now on
 * </pre>
 *
 * With an authorization key, its first line is the key in hexadecimal digits, and it inserts
 * addresses under that key. What goes wrong is answered with {@code error} and the reason. Ends
 * with its input.
 */
final class DemoPeer {
  private static final Duration PATIENCE = Duration.ofSeconds(4);
  private static final Duration A_MOMENT = Duration.ofMillis(300);

  // Messages that have to come, but a machine may be held up before each.
  private static final Duration LONG_PATIENCE = Duration.ofSeconds(30);

  private final PrintWriter out;
  private final DemoEndpoint endpoint;
  private final VectorSession session;
  private final InsertOptions options;
  private long handle = Handles.NOT_AVAILABLE;
  private @Nullable DemoJob job;

  private DemoPeer(
      PrintWriter out, VectorSession session, InsertOptions options, DemoEndpoint endpoint) {
    this.out = out;
    this.session = session;
    this.options = options;
    this.endpoint = endpoint;
  }

  /**
   * Serves until the input ends.
   *
   * @param reliable whether messages go over TCP
   * @param port where to listen for them, 0 for any port
   * @param groups the largest peer group of them, 0 for none
   */
  public static void serve(Terminal terminal, boolean reliable, int port, int groups)
      throws IOException, InterruptedException {
    Hints hints =
        reliable ? DemoStage.reliableHints(port).withMaxGroupId(groups) : DemoStage.hints();
    serve(terminal, hints, VectorOptions.table());
  }

  /** Serves until the input ends, with reliable messages and a vector that others share. */
  public static void serveSharing(Terminal terminal, String name)
      throws IOException, InterruptedException {
    serve(terminal, DemoStage.sharingHints(), VectorOptions.table().withName(name));
  }

  /** Serves until the input ends, with reliable messages to the members of a job. */
  public static void serveJob(Terminal terminal, String servers, int rank)
      throws IOException, InterruptedException {
    try (VectorSession session =
            VectorSession.open(DemoStage.reliableHints(0), VectorOptions.table());
        DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector());
        DemoJob job = new DemoJob(servers, rank, session.vector(), endpoint.address())) {
      DemoPeer peer = new DemoPeer(terminal.out(), session, InsertOptions.none(), endpoint);
      peer.job = job;
      peer.serve(lines(terminal));
    }
  }

  /** Serves until the input ends, with reliable messages over a provider. */
  public static void serveFabric(Terminal terminal, String provider)
      throws IOException, InterruptedException {
    serve(terminal, DemoStage.fabricHints(provider), VectorOptions.table());
  }

  private static void serve(Terminal terminal, Hints hints, VectorOptions options)
      throws IOException, InterruptedException {
    try (VectorSession session = VectorSession.open(hints, options);
        DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector())) {
      new DemoPeer(terminal.out(), session, InsertOptions.none(), endpoint).serve(lines(terminal));
    }
  }

  /** Serves until the input ends, under the authorization key that its first line names. */
  public static void serveUnderKey(Terminal terminal) throws IOException, InterruptedException {
    BufferedReader lines = lines(terminal);
    byte[] key = HexFormat.of().parseHex(String.valueOf(lines.readLine()));
    try (VectorSession session =
        VectorSession.open(DemoStage.keyedHints(), VectorOptions.table())) {
      long handle = session.vector().insertAuthKey(key);
      Arrays.fill(key, (byte) 0);
      InsertOptions options = InsertOptions.none().withAuthKeys(handle);
      try (DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector(), PATIENCE)) {
        new DemoPeer(terminal.out(), session, options, endpoint).serve(lines);
      }
    }
  }

  private static BufferedReader lines(Terminal terminal) {
    return new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
  }

  private void serve(BufferedReader lines) throws IOException, InterruptedException {
    answer("address " + endpoint.address());
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      try {
        answer(obey(line));
      } catch (FabricException refused) {
        answer("error " + refused.getMessage());
      }
    }
  }

  private String obey(String line) throws InterruptedException {
    int space = line.indexOf(' ');
    String verb = space < 0 ? line : line.substring(0, space);
    String rest = line.substring(space + 1);
    return switch (verb) {
      case "insert" -> {
        FabricAddress address = FabricAddress.parse(rest);
        handle = session.vector().insert(List.of(address), options).handles()[0];
        yield "inserted " + handle;
      }
      case "fill" -> "filled " + fill(rest.split(" ", -1));
      case "find" -> {
        // Whom it has found, it sends to from now on.
        handle = session.vector().find(FabricAddress.parse(rest));
        yield "found " + handle;
      }
      case "size" -> "size " + session.vector().size();
      case "send" -> {
        endpoint.send(rest, handle);
        yield "sent";
      }
      case "send-in" -> {
        int end = rest.indexOf(' ');
        int group = Integer.parseInt(rest.substring(0, end));
        endpoint.send(rest.substring(end + 1), Handles.inGroup(handle, group));
        yield "sent";
      }
      case "deliver" -> delivered(rest);
      case "receive" -> received(endpoint.receive(LONG_PATIENCE));
      case "look" -> received(endpoint.receive(A_MOMENT));
      case "echo" -> {
        answer("echoing");
        yield "echoed " + echo(Integer.parseInt(rest));
      }
      case "use" -> {
        handle = Long.parseLong(rest);
        yield "using " + handle;
      }
      case "join" -> "joined " + Objects.requireNonNull(job).join();
      case "heard" -> "heard " + Objects.requireNonNull(job).heard();
      default -> "error unknown command " + verb;
    };
  }

  private int fill(String[] range) {
    return session
        .vector()
        .insertSymmetric(range[0], Integer.parseInt(range[1]), range[2], Integer.parseInt(range[3]))
        .result();
  }

  private String delivered(String text) throws InterruptedException {
    endpoint.post(text, handle);
    try {
      endpoint.awaitDelivery();
      return "delivered";
    } catch (IOException refused) {
      return "refused " + refused.getMessage();
    }
  }

  private static String received(DemoEndpoint.@Nullable Message message) {
    if (message == null) {
      return "error no message came";
    }
    boolean known = message.source() != Handles.NOT_AVAILABLE;
    return "received " + (known ? message.source() : "unknown") + " " + message.text();
  }

  private int echo(int count) throws InterruptedException {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(8, 8);
      int echoed = 0;
      while (echoed < count && endpoint.receiveFrom(handle, LONG_PATIENCE)) {
        endpoint.send(message, handle);
        echoed++;
      }
      return echoed;
    }
  }

  private void answer(String line) {
    out.println(line);
    out.flush();
  }
}
