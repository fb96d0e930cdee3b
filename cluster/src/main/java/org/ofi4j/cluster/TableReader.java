// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;

/** Reads what is told in one generation of a {@link TableFile}, as far as it is there. */
final class TableReader implements AutoCloseable {
  private final FileChannel channel;
  private final AddressFormat format;
  private long position;

  private TableReader(FileChannel channel, AddressFormat format) {
    this.channel = channel;
    this.format = format;
  }

  /** Opens a generation; null if nothing was told in it, or the next one has begun. */
  static @Nullable TableReader open(TableFile file, long generation, AddressFormat format)
      throws IOException {
    try {
      return new TableReader(
          FileChannel.open(file.journal(generation), StandardOpenOption.READ), format);
    } catch (NoSuchFileException none) {
      return null;
    }
  }

  /** What was told at once; null if there is nothing more yet. */
  @Nullable List<MemberEvent> next() throws IOException {
    byte[] body = TableFrame.read(channel, position);
    if (body == null) {
      return null;
    }
    position += TableFrame.length(body);
    return TableFrame.unpack(body, format);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
