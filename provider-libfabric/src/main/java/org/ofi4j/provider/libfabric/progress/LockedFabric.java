// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.util.concurrent.locks.ReentrantLock;
import org.ofi4j.provider.libfabric.library.NativeFabric;

/**
 * A fabric of libfabric's, and the lock under which calls of it are made: libfabric is told that
 * they are made one at a time, and leaves its own locks out.
 */
public record LockedFabric(NativeFabric fabric, ReentrantLock lock) {}
