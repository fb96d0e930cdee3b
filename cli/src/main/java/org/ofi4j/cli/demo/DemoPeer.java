package org.ofi4j.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AvAttributes;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.Hints;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.VectorSession;

/**
 * The other side of the demonstration. Takes one command a line and answers each with one line:
 *
 * <pre>
 *   insert ADDRESS   inserted HANDLE         inserts the address and sends to it from now on
 *   send TEXT        sent                    sends a message
 *   receive          received HANDLE TEXT    waits for a message; HANDLE is "unknown" for a sender
 *                                            that is not in the vector
 *   echo COUNT       echoing, then echoed N  sends COUNT messages back as they come
 * </pre>
 *
 * What goes wrong is answered with {@code error} and the reason. Ends with its input.
 */
public final class DemoPeer {
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final PrintWriter out;
  private final DemoEndpoint endpoint;
  private final VectorSession session;
  private long handle = Handles.NOT_AVAILABLE;

  private DemoPeer(PrintWriter out, VectorSession session, DemoEndpoint endpoint) {
    this.out = out;
    this.session = session;
    this.endpoint = endpoint;
  }

  /**
   * Serves until the input ends.
   *
   * @param terminal the lines
   * @param reliable whether messages go over TCP
   * @param port where to listen for them, 0 for any port
   * @throws IOException if the input breaks
   * @throws InterruptedException if somebody wants it to end
   */
  public static void serve(Terminal terminal, boolean reliable, int port)
      throws IOException, InterruptedException {
    AvAttributes attributes = AvAttributes.table();
    Hints hints = reliable ? DemoStage.reliableHints(port) : DemoStage.hints();
    try (VectorSession session = VectorSession.open(hints, attributes);
        DemoEndpoint endpoint = new DemoEndpoint(session.domain(), session.vector())) {
      DemoPeer peer = new DemoPeer(terminal.out(), session, endpoint);
      peer.answer("address " + endpoint.name());
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(terminal.in(), StandardCharsets.UTF_8));
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        try {
          peer.answer(peer.obey(line));
        } catch (FabricException refused) {
          peer.answer("error " + refused.getMessage());
        }
      }
    }
  }

  private String obey(String line) throws InterruptedException {
    int space = line.indexOf(' ');
    String verb = space < 0 ? line : line.substring(0, space);
    String rest = line.substring(space + 1);
    return switch (verb) {
      case "insert" -> {
        handle = session.vector().insert(FabricAddress.parse(rest));
        yield "inserted " + handle;
      }
      case "send" -> {
        endpoint.send(rest, handle);
        yield "sent";
      }
      case "receive" -> received(endpoint.receive(PATIENCE));
      case "echo" -> {
        answer("echoing");
        yield "echoed " + echo(Integer.parseInt(rest));
      }
      default -> "error unknown command " + verb;
    };
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
      while (echoed < count && endpoint.receiveFrom(handle, PATIENCE)) {
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
