/** Open, close and busy accounting of fabric objects, in one place. */
package org.ofi4j.core.object;
