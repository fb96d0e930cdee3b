// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.nio.channels.Selector;
import org.ofi4j.provider.net.progress.ProgressTarget;

/** Has nothing to do. */
public abstract class IdleTarget extends ProgressTarget {
  /** For subclasses, which may find something. */
  protected IdleTarget() {}

  @Override
  public void progress() {}

  @Override
  public void changed() {}

  @Override
  public void prepare(Selector selector) {}

  @Override
  public void leave(Selector selector) {}
}
