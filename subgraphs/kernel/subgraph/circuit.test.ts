import { describe, expect, it } from 'vitest'
import { Circuit } from './circuit.ts'

function handSet() {
  const time = { ms: 0 }
  return { time, circuit: new Circuit({ failuresMax: 3, retryAfterMs: 1000, now: () => time.ms }) }
}

function fail(circuit: Circuit, times: number): void {
  for (let call = 0; call < times; call++) {
    circuit.enter()
    circuit.failed()
  }
}

describe('Circuit', () => {
  it('allows all calls until there are too many consecutive failures', () => {
    const { circuit } = handSet()
    fail(circuit, 2)
    circuit.succeeded()
    fail(circuit, 2)
    expect([circuit.enter(), circuit.isOpen]).toEqual([true, false])
  })

  it('refuses at once while it is open, then allows one trial call at a time', () => {
    const { circuit, time } = handSet()
    fail(circuit, 3)
    expect([circuit.isOpen, circuit.enter()]).toEqual([true, false])
    time.ms = 999
    expect(circuit.enter()).toBe(false)
    time.ms = 1000
    expect([circuit.enter(), circuit.enter()]).toEqual([true, false])
  })

  it('stays open when the trial call fails', () => {
    const { circuit, time } = handSet()
    fail(circuit, 3)
    time.ms = 1000
    fail(circuit, 1)
    time.ms = 1999
    expect(circuit.enter()).toBe(false)
    time.ms = 2000
    expect(circuit.enter()).toBe(true)
  })

  it('closes when the trial call succeeds', () => {
    const { circuit, time } = handSet()
    fail(circuit, 3)
    time.ms = 1000
    circuit.enter()
    circuit.succeeded()
    expect([circuit.isOpen, circuit.enter(), circuit.enter()]).toEqual([false, true, true])
  })
})
