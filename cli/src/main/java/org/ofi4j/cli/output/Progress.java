// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.time.Duration;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Progress on standard error. On a terminal a bar, which appears when the work takes longer than a
 * blink and goes away when it is done; elsewhere a line each ten seconds. Safe for any thread.
 */
public final class Progress implements AutoCloseable {
  private static final Duration BLINK = Duration.ofMillis(300);
  private static final int MAX_WIDTH = 100;
  private static final Duration WITHOUT_TERMINAL = Duration.ofSeconds(10);

  private final Terminal terminal;
  private final String task;
  private final String unit;
  private final long total;
  private final long begin = System.nanoTime();
  private final Thread speaker;
  private volatile long done;
  private volatile String note = "";
  private boolean closed;
  private @Nullable ProgressBar bar;

  /**
   * Progress of something that begins now.
   *
   * @param terminal where to show it
   * @param task what is done, in one or two words
   * @param unit what is counted, such as {@code lines}
   * @param total how much there is to do, or -1 if nobody knows
   */
  public Progress(Terminal terminal, String task, String unit, long total) {
    this(terminal, task, unit, total, WITHOUT_TERMINAL);
  }

  /** Progress that says a line after each interval where no bar can be drawn. */
  Progress(Terminal terminal, String task, String unit, long total, Duration interval) {
    this.terminal = terminal;
    this.task = task;
    this.unit = unit;
    this.total = total;
    this.speaker =
        Thread.ofVirtual()
            .start(terminal.errIsTerminal() ? this::showAfterBlink : () -> speak(interval));
  }

  /** In a thread of its own too: the first step may be the one that takes long. */
  private void showAfterBlink() {
    try {
      Thread.sleep(BLINK);
    } catch (InterruptedException ended) {
      return;
    }
    synchronized (this) {
      if (!closed) {
        bar = show();
        bar.stepTo(done);
        bar.setExtraMessage(note);
      }
    }
  }

  /** In a thread of its own, because one step of the work may take long. */
  private void speak(Duration interval) {
    try {
      while (true) {
        Thread.sleep(interval);
        terminal
            .err()
            .println(
                "ofi4j: "
                    + task
                    + ", "
                    + Numbers.count(done)
                    + (total < 0 ? " " : " of " + Numbers.count(total) + " ")
                    + unit
                    + (note.isEmpty() ? "" : ", " + note)
                    + " after "
                    + Numbers.duration(System.nanoTime() - begin));
      }
    } catch (InterruptedException ended) {
      // The work is done: nothing is left to say.
    }
  }

  /**
   * Says how far the work is.
   *
   * @param done how much is done
   */
  public synchronized void at(long done) {
    this.done = done;
    if (bar != null) {
      bar.stepTo(done);
    }
  }

  /**
   * Says what the work waits for.
   *
   * @param note a few words, or nothing if it waits for nothing
   */
  public synchronized void note(String note) {
    this.note = note;
    if (bar != null) {
      bar.setExtraMessage(note);
    }
  }

  /** Clears the line, so that something else can be printed on it. */
  public synchronized void clearLine() {
    if (bar != null) {
      terminal.err().print("\r\033[K");
    }
  }

  @Override
  public synchronized void close() {
    closed = true;
    speaker.interrupt();
    if (bar != null) {
      bar.close();
      bar = null;
      terminal.err().print("\r\033[K");
      terminal.err().flush();
    }
  }

  private ProgressBar show() {
    return new ProgressBarBuilder()
        .setTaskName(task)
        .setInitialMax(total)
        .setUnit(" " + unit, 1)
        .setStyle(ProgressBarStyle.ASCII)
        .setUpdateIntervalMillis(100)
        // Else it draws a second time only after a step, whatever is noted meanwhile.
        .continuousUpdate()
        .showSpeed()
        .setConsumer(new Line())
        .build();
  }

  /** Draws over one line, and keeps within it. */
  private final class Line implements ProgressBarConsumer {
    @Override
    public int getMaxRenderedLength() {
      return Math.min(terminal.errColumns() - 1, MAX_WIDTH);
    }

    @Override
    public void accept(String rendered) {
      terminal.err().print("\r" + rendered);
      terminal.err().flush();
    }

    @Override
    public void close() {}
  }
}
