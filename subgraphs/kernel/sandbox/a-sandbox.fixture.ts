import { onTestFinished } from 'vitest'
import type { PoolBounds } from './child-pool.ts'
import type { ChildSandbox } from './child-sandbox.ts'
import { openSandbox } from './sandbox.fixture.ts'

/** A sandbox that is closed after the test. */
export function aSandbox(bounds: Partial<PoolBounds> = {}): ChildSandbox {
  const sandbox = openSandbox(bounds)
  onTestFinished(() => sandbox.close())
  return sandbox
}
