// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MemoryUse;
import org.ofi4j.Printable;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.peers.AddressSearch;
import org.ofi4j.cli.peers.BadLine;
import org.ofi4j.cli.peers.Conversion;
import org.ofi4j.cli.peers.LoadSummary;
import org.ofi4j.cli.peers.LookupRates;
import org.ofi4j.cli.peers.Reasons;
import org.ofi4j.cli.peers.VectorSession;
import tools.jackson.core.JsonGenerator;

/** What {@code ofi4j av} prints, as it happens. Calls come in the order of the methods. */
abstract sealed class AvReport {
  final Terminal terminal;
  final PrintWriter out;

  private AvReport(Terminal terminal) {
    this.terminal = terminal;
    this.out = terminal.out();
  }

  abstract void conversions(List<Conversion> conversions);

  abstract void begin(VectorSession session, List<String> sources);

  abstract void bad(BadLine line);

  /** Prints every peer if that is wanted. */
  abstract void peers(AddressVector vector, boolean wanted);

  abstract void lookup(long handle, @Nullable String address, @Nullable String error);

  abstract void find(AddressSearch search);

  abstract void summary(LoadSummary summary, AddressVector vector, @Nullable LookupRates rates);

  /** Nothing follows; a document that is begun is ended even if something failed. */
  abstract void end(@Nullable String error);

  /** Takes a peer, and says whether to go on. */
  interface PeerTaker {
    boolean take(long handle, String address);
  }

  static void forEach(AddressVector vector, PeerTaker taker) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment buffer = arena.allocate(8192, 8);
      long seen = 0;
      for (long index = 0; seen < vector.size() && index < Handles.MAX_ENTRIES; index++) {
        long handle;
        int length;
        try {
          handle = vector.handleAt(index);
          length = vector.lookup(handle, buffer);
        } catch (FabricException _) {
          // Somebody else may have removed it.
          continue;
        }
        seen++;
        String text = vector.toText(buffer.asSlice(0, Math.min(length, buffer.byteSize())));
        if (!taker.take(handle, String.valueOf(text))) {
          return;
        }
      }
    }
  }

  /** For people and for pipes. */
  static final class AsText extends AvReport {
    private final PrintWriter summaryOut;
    private String provider = "";

    /** The summary must not get between peers that are printed for another program. */
    AsText(Terminal terminal, boolean printsPeers) {
      super(terminal);
      this.summaryOut = printsPeers ? terminal.err() : terminal.out();
    }

    @Override
    void conversions(List<Conversion> conversions) {
      for (Conversion conversion : conversions) {
        if (conversion.error() != null) {
          complain("\"" + conversion.input() + "\": " + conversion.error());
        } else {
          out.println(conversion.text() + "  " + conversion.bytes());
        }
      }
    }

    @Override
    void begin(VectorSession session, List<String> sources) {
      provider = session.provider();
    }

    @Override
    void bad(BadLine line) {
      terminal.err().println(line);
    }

    @Override
    void peers(AddressVector vector, boolean wanted) {
      if (wanted) {
        forEach(
            vector,
            (handle, address) -> {
              out.println(Long.toUnsignedString(handle) + "\t" + address);
              return (handle & 0xFFF) != 0 || !out.checkError();
            });
      }
    }

    @Override
    void lookup(long handle, @Nullable String address, @Nullable String error) {
      String name = "handle " + Long.toUnsignedString(handle);
      if (error == null) {
        out.println(name + ": " + address);
      } else {
        complain(name + ": " + error);
      }
    }

    @Override
    void find(AddressSearch search) {
      if (search.isFound()) {
        out.println(
            Printable.line(search.input()) + ": handle " + Long.toUnsignedString(search.handle()));
      } else {
        complain(search.input() + ": " + search.reason());
      }
    }

    @Override
    void summary(LoadSummary summary, AddressVector vector, @Nullable LookupRates rates) {
      MemoryUse memory = vector.statistics().memory();
      long entries = vector.size();
      // The summary may go to standard error: everything before it must be seen before it.
      out.flush();
      line(
          "lines",
          "%s, %s of them blank or comments"
              .formatted(Numbers.count(summary.lines()), Numbers.count(summary.empty())));
      line(
          "peers",
          "%s in a %s of %s, provider %s"
              .formatted(
                  Numbers.count(entries),
                  vector.options().type(),
                  FabricNames.of(vector.format()),
                  provider));
      if (summary.ranges() > 0) {
        line(
            "ranges",
            Numbers.count(summary.ranges(), "line")
                + " with "
                + Numbers.count(summary.rangePeers(), "peer"));
      }
      if (summary.names() > 0) {
        line("names", Numbers.count(summary.names(), "line"));
      }
      if (summary.badLines() > 0) {
        line(
            "bad",
            terminal.bad(Numbers.count(summary.badLines(), "line"))
                + ", %s refused".formatted(Numbers.count(summary.refused(), "peer")));
      }
      line(
          "memory",
          (entries == 0 ? "" : Numbers.format("%.1f bytes a peer, ", memory.livePerPeer(entries)))
              + "%s live, %s held"
                  .formatted(Numbers.bytes(memory.live()), Numbers.bytes(memory.held())));
      line(
          "rates",
          insertRate(summary)
              + (rates == null
                  ? ""
                  : Numbers.format(
                      ", lookup %.0f ns, find %.0f ns", rates.lookupNanos(), rates.findNanos())));
      line("time", Numbers.duration(summary.nanos()));
    }

    private static String insertRate(LoadSummary summary) {
      return summary.packed() < LoadSummary.FEWEST_TIMED
          ? "too few numeric addresses to measure insertion"
          : "insert " + Numbers.rate(summary.packed(), summary.packedNanos());
    }

    /** Tells of something wrong, after everything that was printed before. */
    private void complain(String sentence) {
      out.flush();
      terminal.err().println(Printable.line(sentence));
    }

    private void line(String name, String value) {
      summaryOut.println(Numbers.format("%-8s", name) + value);
    }

    @Override
    void end(@Nullable String error) {
      // Failures are told on standard error.
    }
  }

  /** For programs. */
  static final class AsJson extends AvReport {
    private final JsonGenerator json;
    private @Nullable String section;
    private boolean begun;

    AsJson(Terminal terminal) {
      super(terminal);
      this.json = new JsonDocument(terminal.out());
    }

    /** Begins the document with the first thing to say, so that a failure before prints nothing. */
    private void open() {
      if (!begun) {
        begun = true;
        json.writeStartObject();
      }
    }

    /** Begins the array of a section with its first element. */
    private JsonGenerator in(String name) {
      if (!name.equals(section)) {
        open();
        leave();
        json.writeArrayPropertyStart(name);
        section = name;
      }
      return json;
    }

    private void leave() {
      if (section != null) {
        json.writeEndArray();
        section = null;
      }
    }

    @Override
    void conversions(List<Conversion> conversions) {
      for (Conversion conversion : conversions) {
        in("conversions")
            .writeStartObject()
            .writeStringProperty("input", conversion.input())
            .writeStringProperty(
                "format", conversion.format() == null ? null : FabricNames.of(conversion.format()))
            .writeStringProperty("bytes", conversion.bytes())
            .writeStringProperty("text", conversion.text())
            .writeStringProperty("error", conversion.error())
            .writeEndObject();
      }
    }

    @Override
    void begin(VectorSession session, List<String> sources) {
      open();
      leave();
      json.writeStringProperty("provider", session.provider())
          .writeStringProperty("format", FabricNames.of(session.vector().format()))
          .writeStringProperty("type", FabricNames.of(session.vector().options().type()))
          .writeArrayPropertyStart("sources");
      sources.forEach(json::writeString);
      json.writeEndArray();
      in("badLines");
    }

    @Override
    void bad(BadLine line) {
      in("badLines")
          .writeStartObject()
          .writeStringProperty("source", line.source())
          .writeNumberProperty("line", line.line())
          .writeStringProperty("text", line.text())
          .writeNumberProperty("peers", line.peers())
          .writeNumberProperty("refused", line.refused())
          .writeNumberProperty("errno", line.errno())
          .writeStringProperty("name", Reasons.name(line.errno()))
          .writeStringProperty("reason", line.reason())
          .writeEndObject();
    }

    @Override
    void peers(AddressVector vector, boolean wanted) {
      if (!wanted) {
        return;
      }
      in("peers");
      forEach(
          vector,
          (handle, address) -> {
            json.writeStartObject().writeStringProperty("handle", Long.toUnsignedString(handle));
            json.writeStringProperty("address", address).writeEndObject();
            return (handle & 0xFFF) != 0 || !out.checkError();
          });
    }

    @Override
    void lookup(long handle, @Nullable String address, @Nullable String error) {
      in("lookups")
          .writeStartObject()
          .writeStringProperty("handle", Long.toUnsignedString(handle))
          .writeStringProperty("address", address)
          .writeStringProperty("error", error)
          .writeEndObject();
    }

    @Override
    void find(AddressSearch search) {
      in("finds")
          .writeStartObject()
          .writeStringProperty("address", search.input())
          .writeStringProperty(
              "handle", search.isFound() ? Long.toUnsignedString(search.handle()) : null)
          .writeStringProperty("error", search.reason())
          .writeEndObject();
    }

    @Override
    void summary(LoadSummary summary, AddressVector vector, @Nullable LookupRates rates) {
      MemoryUse memory = vector.statistics().memory();
      long entries = vector.size();
      leave();
      json.writeObjectPropertyStart("summary")
          .writeNumberProperty("lines", summary.lines())
          .writeNumberProperty("empty", summary.empty())
          .writeNumberProperty("badLines", summary.badLines())
          .writeNumberProperty("inserted", summary.inserted())
          .writeNumberProperty("refused", summary.refused())
          .writeNumberProperty("ranges", summary.ranges())
          .writeNumberProperty("rangePeers", summary.rangePeers())
          .writeNumberProperty("names", summary.names())
          .writeNumberProperty("entries", entries)
          .writeObjectPropertyStart("memory")
          .writeNumberProperty("live", memory.live())
          .writeNumberProperty("held", memory.held())
          .writeNumberProperty("side", memory.side())
          .writeNumberProperty(
              "livePerPeer", entries == 0 ? Double.NaN : memory.livePerPeer(entries))
          .writeNumberProperty(
              "heldPerPeer", entries == 0 ? Double.NaN : memory.heldPerPeer(entries))
          .writeEndObject()
          .writeObjectPropertyStart("rates")
          .writeNumberProperty(
              "insertPerSecond",
              summary.packed() < LoadSummary.FEWEST_TIMED
                  ? Double.NaN
                  : Numbers.perSecond(summary.packed(), summary.packedNanos()))
          .writeNumberProperty("lookupNanos", rates == null ? Double.NaN : rates.lookupNanos())
          .writeNumberProperty("findNanos", rates == null ? Double.NaN : rates.findNanos())
          .writeEndObject()
          .writeNumberProperty("seconds", summary.nanos() / 1e9)
          .writeEndObject()
          .flush();
    }

    @Override
    void end(@Nullable String error) {
      if (begun) {
        leave();
        if (error != null) {
          json.writeStringProperty("error", error);
        }
        json.close();
      }
    }
  }
}
