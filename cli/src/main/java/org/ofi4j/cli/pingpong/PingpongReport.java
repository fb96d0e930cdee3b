// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.pingpong;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.cli.output.Folding;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import tools.jackson.core.JsonGenerator;

/** What {@code ofi4j pingpong} prints, line by line. */
abstract sealed class PingpongReport implements Pingpong.Listener {
  final PrintWriter out;
  final PingpongOptions options;

  private PingpongReport(Terminal terminal, PingpongOptions options) {
    this.out = terminal.out();
    this.options = options;
  }

  /** The run is over, with an error or null. */
  abstract void end(@Nullable String error);

  /** The table of fi_pingpong, and percentiles beside it. */
  static final class AsText extends PingpongReport {
    private static final List<String> HEADING =
        List.of(
            "bytes   ",
            "#sent   ",
            "#ack     ",
            "total   ",
            "    time ",
            "    MB/sec",
            "    usec/xfer",
            "   Mxfers/sec",
            "       p50",
            "       p99",
            "       max");

    private final Terminal terminal;
    private boolean headed;

    AsText(Terminal terminal, PingpongOptions options) {
      super(terminal, options);
      this.terminal = terminal;
    }

    @Override
    public void begun(String provider, FabricAddress local, FabricAddress peer) {
      // The table comes with its first line, as the C program prints it.
    }

    @Override
    public void done(SizeResult result) {
      if (result.sent() == 0) {
        return;
      }
      if (!headed) {
        headed = true;
        out.println(terminal.bold(Folding.row(HEADING, terminal.foldColumns())));
      }
      List<String> cells =
          List.of(
              Numbers.format("%-8s", binary(result.bytes())),
              Numbers.format("%-8s", decimal(result.sent())),
              Numbers.format("%-9s", acknowledged(result)),
              Numbers.format("%-8s", binary(result.totalBytes())),
              Numbers.format("%8.2fs", result.nanos() / 1e9),
              Numbers.format("%10.2f", result.megabytesPerSecond()),
              Numbers.format("%13.2f", result.usecPerTransfer()),
              Numbers.format("%13.2f", 1 / result.usecPerTransfer()),
              Numbers.format("%10.2f", result.usecAtPercentile(50)),
              Numbers.format("%10.2f", result.usecAtPercentile(99)),
              Numbers.format("%10.2f", result.usecMax()));
      out.println(Folding.row(cells, terminal.foldColumns()));
      out.flush();
    }

    /** {@code =} all arrived, {@code +} so many more were sent than arrived, {@code -} fewer. */
    private static String acknowledged(SizeResult result) {
      long missing = result.sent() - result.acknowledged();
      if (missing == 0) {
        return "=" + decimal(result.acknowledged());
      }
      return (missing > 0 ? "+" : "-") + decimal(Math.abs(missing));
    }

    private static String binary(long size) {
      int power = size >= 1 << 30 ? 3 : size >= 1 << 20 ? 2 : size >= 1 << 10 ? 1 : 0;
      long base = 1L << (10 * power);
      String unit = "kmg".substring(Math.max(0, power - 1), power);
      long fraction = size / base < 10 ? size % base * 10 / base : 0;
      return size / base + (fraction == 0 ? "" : "." + fraction) + unit;
    }

    private static String decimal(long count) {
      if (count >= 1_000_000_000) {
        return count / 1_000_000_000 + "b";
      }
      if (count >= 1_000_000) {
        return count / 1_000_000 + "m";
      }
      return count >= 1000 ? count / 1000 + "k" : String.valueOf(count);
    }

    @Override
    void end(@Nullable String error) {
      out.flush();
    }
  }

  /** For programs. */
  static final class AsJson extends PingpongReport {
    private final JsonGenerator json;
    private boolean begun;

    AsJson(Terminal terminal, PingpongOptions options) {
      super(terminal, options);
      this.json = new JsonDocument(terminal.out());
    }

    @Override
    public void begun(String provider, FabricAddress local, FabricAddress peer) {
      json.writeStartObject()
          .writeStringProperty("role", options.host() == null ? "server" : "client")
          .writeStringProperty("provider", provider)
          .writeStringProperty("local", local.toString())
          .writeStringProperty("peer", peer.toString())
          .writeNumberProperty("iterations", options.iterations())
          .writeBooleanProperty("verified", options.verify())
          .writeArrayPropertyStart("results");
      begun = true;
    }

    @Override
    public void done(SizeResult result) {
      if (result.sent() == 0) {
        return;
      }
      json.writeStartObject()
          .writeNumberProperty("bytes", result.bytes())
          .writeNumberProperty("sent", result.sent())
          .writeNumberProperty("acknowledged", result.acknowledged())
          .writeNumberProperty("totalBytes", result.totalBytes())
          .writeNumberProperty("seconds", result.nanos() / 1e9)
          .writeNumberProperty("megabytesPerSecond", result.megabytesPerSecond())
          .writeNumberProperty("usecPerTransfer", result.usecPerTransfer())
          .writeObjectPropertyStart("halfRoundTripUsec")
          .writeNumberProperty("mean", result.usecMean())
          .writeNumberProperty("p50", result.usecAtPercentile(50))
          .writeNumberProperty("p90", result.usecAtPercentile(90))
          .writeNumberProperty("p99", result.usecAtPercentile(99))
          .writeNumberProperty("p99.9", result.usecAtPercentile(99.9))
          .writeNumberProperty("max", result.usecMax())
          .writeEndObject()
          .writeEndObject();
      json.flush();
    }

    @Override
    void end(@Nullable String error) {
      if (begun) {
        json.writeEndArray();
      } else {
        json.writeStartObject();
      }
      json.writeStringProperty("error", error).close();
    }
  }
}
