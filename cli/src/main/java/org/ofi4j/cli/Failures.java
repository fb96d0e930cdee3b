// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;

/** Turns failures that can happen to anybody into sentences. */
public final class Failures {
  private Failures() {}

  /** The sentence, or null if the failure is a mistake of the program's. */
  static @Nullable String sentence(Throwable failure) {
    return switch (failure) {
      case FabricException refused -> refused.getMessage();
      case UncheckedIOException wrapped -> wrapped.getMessage();
      case NoSuchFileException missing ->
          missing.getFile() + ": no such file, or it may not be read";
      case AccessDeniedException denied -> denied.getFile() + ": may not be read";
      case FileSystemException bare when bare.getReason() == null && bare.getFile() != null ->
          bare.getFile() + ": " + kind(bare);
      case InvalidPathException unnameable ->
          "the file name \""
              + unnameable.getInput()
              + "\" cannot be used in the locale of this process: set LC_ALL=C.UTF-8 or another"
              + " locale of UTF-8";
      case IOException network -> {
        String message = network.getMessage();
        yield message == null ? network.getClass().getSimpleName() : message;
      }
      case InterruptedException interrupted -> "interrupted";
      default -> null;
    };
  }

  /** What a kind of failure says by its name alone. */
  private static String kind(FileSystemException failure) {
    return switch (failure) {
      case FileAlreadyExistsException _ -> "there is something else of this name already";
      case NotDirectoryException _ -> "is no directory";
      case DirectoryNotEmptyException _ -> "is a directory that is not empty";
      default -> failure.getClass().getSimpleName();
    };
  }
}
