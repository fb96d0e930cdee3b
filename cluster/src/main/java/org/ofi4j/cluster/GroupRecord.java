// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * What a group is, in its node: written by the first who joins or looks, and never changed.
 *
 * <pre>
 *   16     17       18     20       24         32
 *   +------+--------+------+--------+----------+-----------------+
 *   | kind | format | flags|  size  | founding | optional fields |
 *   +------+--------+------+--------+----------+-----------------+
 * </pre>
 *
 * <p>The kind is 1 for a job and 2 for a service. The format is the number of {@link
 * AddressFormat}. A service has size 0. Flags: 1 if the group expires; a group with others is
 * refused, because its members must know them. The founding is a number that no other job of the
 * name has had; it is 0 in a group whose nodes do not outlive its members. {@link RecordReader}
 * draws the optional fields.
 *
 * @param kind job or service
 * @param format the format of the members' addresses
 * @param size how many members a job has
 * @param expires whether the servers remove the group once it is empty
 * @param founding the number of this founding, or 0
 */
record GroupRecord(Kind kind, AddressFormat format, int size, boolean expires, long founding) {
  private static final short EXPIRES = 1;

  private static final int LENGTH = RecordHeader.SIZE + 18;

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

  /** Returns the record of a service. */
  static GroupRecord service(AddressFormat format) {
    return new GroupRecord(Kind.SERVICE, format, 0, false, 0);
  }

  /** Returns the record of a job with a number of its own. */
  static GroupRecord job(AddressFormat format, int size, boolean expires) {
    long founding = expires ? 0 : UUID.randomUUID().getMostSignificantBits();
    return new GroupRecord(Kind.JOB, format, size, expires, founding);
  }

  byte[] toBytes() {
    ByteBuffer record = ByteBuffer.allocate(LENGTH).position(RecordHeader.SIZE);
    record.put((byte) kind.number).put((byte) format.number());
    record.putShort(expires ? EXPIRES : 0);
    record.putInt(size);
    record.putLong(founding);
    return RecordHeader.seal(RecordHeader.GROUP, record.array());
  }

  static GroupRecord of(byte[] bytes) throws UnreadableRecordException {
    RecordReader body = new RecordReader(RecordHeader.open(RecordHeader.GROUP, bytes), "the group");
    int number = body.oneByte("kind");
    Kind kind = Kind.of(number);
    if (kind == null) {
      throw body.wrong("kind", number + " is neither 1 for a job nor 2 for a service");
    }
    AddressFormat format = body.format();
    int flags = body.twoBytes("flags");
    if (flags != 0 && flags != EXPIRES) {
      throw body.wrong("flags", flags + " has bits that this version does not know");
    }
    int size = body.fourBytes("size");
    if ((kind == Kind.JOB) != (size > 0) || size < 0) {
      throw body.wrong("size", size + " must be positive for a job, and 0 for a service");
    }
    long founding = body.eightBytes("founding");
    body.optionalFields();
    body.end();
    return new GroupRecord(kind, format, size, flags == EXPIRES, founding);
  }

  @Override
  public String toString() {
    return (kind == Kind.JOB ? "a job of " + size : "a service") + " with addresses of " + format;
  }
}
