package org.ofi4j.provider.net;

import java.io.IOException;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Whose data is moved: an endpoint with one channel or many. Any thread may call; whoever finds
 * another one at work leaves it to that one.
 */
abstract class ProgressTarget {
  /** Whether the target stands in the list of a {@link ProgressThread}, and who comes after it. */
  final AtomicBoolean listed = new AtomicBoolean();

  @Nullable ProgressTarget nextListed;

  /** Moves what can be moved at once, within a bound that keeps others from starving. */
  abstract void progress();

  /** Tells those who move the target's data that it waits for something else than before. */
  abstract void changed();

  /**
   * Gets ready for a thread to sleep in a selector: says there what the target waits for.
   *
   * @throws IOException if the target's channels are closed
   */
  abstract void prepare(Selector selector) throws IOException;

  /** Keeps a selector from reporting the target's channels until it is prepared again. */
  abstract void rest(Selector selector);
}
