// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.ofi4j.AddressFormat;
import org.ofi4j.cluster.RecordHeader.UnreadableRecordException;

/**
 * Reads the fields of a record. Its exceptions name the field, the part of the record that the
 * field belongs to, and the rule that is broken.
 *
 * <p>Each part of a record ends with optional fields, which later versions add:
 *
 * <pre>
 *   2 bytes of length of all; each: 1 byte number, 2 bytes of length, value
 * </pre>
 *
 * <p>This version knows none of them and skips all. They must be well-formed nevertheless.
 */
final class RecordReader {
  /** Optional fields of which there are none. */
  static final ByteBuffer NO_FIELDS = ByteBuffer.allocate(0).asReadOnlyBuffer();

  private static final int FIELD_HEADER = 3;

  private final ByteBuffer body;
  private String part;

  /**
   * A reader at the first field.
   *
   * @param part names the first part of the record in exceptions
   */
  RecordReader(ByteBuffer body, String part) {
    this.body = body;
    this.part = part;
  }

  /** Begins another part of the record. */
  void begin(String next) {
    part = next;
  }

  int oneByte(String field) throws UnreadableRecordException {
    return Byte.toUnsignedInt(require(field, Byte.BYTES).get());
  }

  int twoBytes(String field) throws UnreadableRecordException {
    return Short.toUnsignedInt(require(field, Short.BYTES).getShort());
  }

  int fourBytes(String field) throws UnreadableRecordException {
    return require(field, Integer.BYTES).getInt();
  }

  long eightBytes(String field) throws UnreadableRecordException {
    return require(field, Long.BYTES).getLong();
  }

  byte[] bytes(String field, int length) throws UnreadableRecordException {
    require(field, length);
    byte[] bytes = new byte[length];
    body.get(bytes);
    return bytes;
  }

  String text(String field, int length) throws UnreadableRecordException {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(bytes(field, length)))
          .toString();
    } catch (CharacterCodingException malformed) {
      throw wrong(field, "is not UTF-8");
    }
  }

  AddressFormat format() throws UnreadableRecordException {
    int number = oneByte("address format");
    AddressFormat format = AddressFormat.of(number);
    if (format == null) {
      throw wrong("address format", number + " is not a number of enum fi_addr_format");
    }
    return format;
  }

  /** Reads bytes that must be zero. */
  void zeros(String field, int count) throws UnreadableRecordException {
    for (byte each : bytes(field, count)) {
      if (each != 0) {
        throw wrong(field, each + " instead of 0");
      }
    }
  }

  /** Skips the optional fields at the end of a part, and returns them as they are. */
  ByteBuffer optionalFields() throws UnreadableRecordException {
    int length = twoBytes("length of the optional fields");
    ByteBuffer all = ByteBuffer.wrap(bytes("optional fields", length)).asReadOnlyBuffer();
    ByteBuffer rest = all.duplicate();
    while (rest.hasRemaining()) {
      if (rest.remaining() < FIELD_HEADER) {
        throw wrong("optional fields", "end within the number and length of a field");
      }
      String field = "optional field " + Byte.toUnsignedInt(rest.get());
      int value = Short.toUnsignedInt(rest.getShort());
      if (value > rest.remaining()) {
        throw wrong(field, "has a length of " + value + ", but " + rest.remaining() + " bytes");
      }
      rest.position(rest.position() + value);
    }
    return all;
  }

  /** Ends the record. */
  void end() throws UnreadableRecordException {
    if (body.hasRemaining()) {
      throw wrong("end", "is followed by " + body.remaining() + " bytes; add optional fields");
    }
  }

  UnreadableRecordException wrong(String field, String rule) {
    return new UnreadableRecordException("is damaged: " + field + " of " + part + ": " + rule);
  }

  private ByteBuffer require(String field, int bytes) throws UnreadableRecordException {
    if (bytes < 0 || bytes > body.remaining()) {
      throw wrong(
          field, "takes " + bytes + " bytes, but the record has " + body.remaining() + " more");
    }
    return body;
  }
}
