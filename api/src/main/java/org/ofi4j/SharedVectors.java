// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.time.Duration;
import java.util.List;

/**
 * The named address vectors of a domain, looked at from outside: which there are, how they are, and
 * what dead processes left. Whoever uses one opens it by name, see {@link VectorOptions#name}.
 *
 * <p>Safe to use from any thread. Only {@link #verify} waits for a process that changes a vector;
 * {@link #status} and {@link #unlink} wait a few seconds for one that is just coming or leaving.
 */
public interface SharedVectors {
  /**
   * The names of the vectors that have files, whether or not anybody uses them. A name that is so
   * long that its file has a digest of it instead is left out.
   *
   * @return the names, sorted
   */
  List<String> names();

  /**
   * How a vector is. To find out, this process attaches to it for reading for a moment.
   *
   * @param name its name
   * @return how it is now
   * @throws FabricException with {@link Errno#ENOENT} if nobody uses such a vector; with {@link
   *     Errno#EACCES} if its files are not those of this user; with {@link Errno#EAGAIN} if
   *     somebody who comes or leaves takes too long; with {@link Errno#EIO} if its files are
   *     damaged
   */
  SharedVectorStatus status(String name);

  /**
   * Checks everything that the files of a vector must be, whether or not anybody uses it. Changes
   * wait meanwhile; it takes about as long as searching all entries.
   *
   * @param name its name
   * @param patience how long a process that changes the vector is waited for
   * @return what was found
   * @throws FabricException with {@link Errno#ENOENT} if it has no files; with {@link Errno#EACCES}
   *     if they are not those of this user; with {@link Errno#EAGAIN}, naming the process, if
   *     somebody changes it for longer; with {@link Errno#EIO} if they cannot be read
   */
  SharedVectorReport verify(String name, Duration patience);

  /**
   * Removes the files of a vector that nobody uses any more, as its processes were killed.
   *
   * @param name its name
   * @throws FabricException with {@link Errno#ENOENT} if it has no files; with {@link Errno#EBUSY},
   *     naming the processes, if it is in use; with {@link Errno#EACCES} if its files are not those
   *     of this user; with {@link Errno#EAGAIN} if somebody who comes or leaves takes too long
   */
  void unlink(String name);
}
