// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;

/**
 * What a group is, in its node: written by the first who joins or looks, and never changed.
 *
 * <pre>
 *   16     17       18     20       24
 *   +------+--------+------+--------+
 *   | kind | format |  0   |  size  |
 *   +------+--------+------+--------+
 * </pre>
 *
 * <p>The kind is 1 for a job and 2 for a service. The format is the number of {@link
 * AddressFormat}. A service has size 0.
 *
 * @param kind job or service
 * @param format the format of the members' addresses
 * @param size how many members a job has
 */
record GroupRecord(Kind kind, AddressFormat format, int size) {
  private static final int LENGTH = RecordHeader.SIZE + 8;

  enum Kind {
    JOB(1),
    SERVICE(2);

    private final int number;

    Kind(int number) {
      this.number = number;
    }

    private static @Nullable Kind of(int number) {
      return number == JOB.number ? JOB : number == SERVICE.number ? SERVICE : null;
    }
  }

  byte[] toBytes() {
    ByteBuffer record = ByteBuffer.allocate(LENGTH).position(RecordHeader.SIZE);
    record.put((byte) kind.number).put((byte) format.number()).putShort((short) 0);
    record.putInt(size);
    return RecordHeader.seal(RecordHeader.GROUP, record.array());
  }

  static GroupRecord of(byte[] bytes) throws UnreadableRecordException {
    ByteBuffer body = RecordHeader.open(RecordHeader.GROUP, bytes);
    if (bytes.length != LENGTH) {
      throw new UnreadableRecordException("is damaged: it has " + bytes.length + " bytes");
    }
    Kind kind = Kind.of(body.get());
    AddressFormat format = AddressFormat.of(body.get());
    short zero = body.getShort();
    int size = body.getInt();
    if (kind == null || format == null || zero != 0 || (kind == Kind.JOB) != (size > 0)) {
      throw new UnreadableRecordException("is damaged: kind, format or size make no sense");
    }
    return new GroupRecord(kind, format, size);
  }

  @Override
  public String toString() {
    return (kind == Kind.JOB ? "a job of " + size : "a service") + " with addresses of " + format;
  }
}
