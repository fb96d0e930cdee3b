// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.ofi4j.cluster.HostRecord.RankRecord;

/**
 * What each record begins with, its numbers in network byte order.
 *
 * <pre>
 *   0       4         5      6       8        12         16
 *   +-------+---------+------+-------+--------+----------+----
 *   | "ofJC"| version | kind | flags | length | CRC-32C  | body
 *   +-------+---------+------+-------+--------+----------+----
 * </pre>
 *
 * <p>The length is that of the whole record. The checksum is over the whole record, with zeros in
 * its own place. A later version adds what older readers may ignore as {@link RecordReader optional
 * fields}. A change that they must not ignore sets another version or a flag: a reader takes no
 * other version than its own, and no flags but zero.
 */
final class RecordHeader {
  /** How many bytes come before the body. */
  static final int SIZE = 16;

  /** The version that is written, and read. */
  static final int VERSION = 1;

  /** Kind of a {@link GroupRecord}. */
  static final int GROUP = 1;

  /** Kind of a {@link HostRecord}. */
  static final int MEMBERS = 2;

  /** Kind of a {@link RankRecord}. */
  static final int RANK = 3;

  /** The longest record: half of what ZooKeeper takes if nothing else is set there. */
  static final int MAX_RECORD = 512 * 1024;

  private static final int MAGIC = 0x6F664A43;
  private static final int CHECKSUM_AT = 12;

  private RecordHeader() {}

  /** Fills in the header of a record whose body is there. */
  static byte[] seal(int kind, byte[] record) {
    ByteBuffer header = ByteBuffer.wrap(record);
    header.putInt(MAGIC).put((byte) VERSION).put((byte) kind).putShort((short) 0);
    header.putInt(record.length).putInt(checksum(record));
    return record;
  }

  /** The body of a record, after all checks that need not know it. */
  static ByteBuffer open(int kind, byte[] record) throws UnreadableRecordException {
    if (record.length < SIZE || record.length > MAX_RECORD) {
      throw new UnreadableRecordException(
          "is damaged: it has "
              + record.length
              + " bytes; a record has "
              + SIZE
              + " to "
              + MAX_RECORD);
    }
    ByteBuffer header = ByteBuffer.wrap(record);
    if (header.getInt() != MAGIC) {
      throw new UnreadableRecordException("is damaged, or no record: it does not begin with ofJC");
    }
    int version = Byte.toUnsignedInt(header.get());
    int found = Byte.toUnsignedInt(header.get());
    int flags = Short.toUnsignedInt(header.getShort());
    int length = header.getInt();
    int checksum = header.getInt();
    if (checksum != checksum(record)) {
      throw new UnreadableRecordException("is damaged: its checksum is wrong");
    }
    if (version != VERSION || flags != 0) {
      throw new UnreadableRecordException(
          "is of version "
              + version
              + " with flags "
              + flags
              + "; this library reads version 1 with flags 0");
    }
    if (found != kind) {
      throw new UnreadableRecordException(
          "is of kind " + found + "; one of kind " + kind + " belongs here");
    }
    if (length != record.length) {
      throw new UnreadableRecordException(
          "is damaged: its length is " + length + ", but it has " + record.length + " bytes");
    }
    return header;
  }

  private static int checksum(byte[] record) {
    CRC32C checksum = new CRC32C();
    checksum.update(record, 0, CHECKSUM_AT);
    checksum.update(new byte[Integer.BYTES]);
    checksum.update(record, SIZE, record.length - SIZE);
    return (int) checksum.getValue();
  }

  /** A record that is damaged, or of a newer version. */
  static final class UnreadableRecordException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableRecordException(String message) {
      super(message);
    }
  }
}
