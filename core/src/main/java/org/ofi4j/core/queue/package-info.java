/** Event and completion queues. */
package org.ofi4j.core.queue;
