import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signatureHeaders } from './signature.ts'

const hex = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

describe('signatureHeaders', () => {
  it('equal the example of Standard Webhooks', () => {
    const headers = signatureHeaders(
      {
        eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        body: Buffer.from('{"test": 2432232314}'),
        now: new Date(1_614_265_330_000),
      },
      ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    )
    expect(headers).toMatchObject({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    })
  })

  it('sign time and body with every secret, and the body alone with the current one', () => {
    const [now, next] = ['whsec_bmV3', 'whsec_b2xk']
    const body = '{"name":"Ægir"}'
    const headers = signatureHeaders({ eventId: 'evt_1', body: Buffer.from(body), now: new Date(1_700_000_000_987) }, [
      now,
      next,
    ])
    expect(headers['X-Service-Signature']).toBe(
      `t=1700000000,v1=${hex(now, `1700000000.${body}`)},v1=${hex(next, `1700000000.${body}`)}`,
    )
    expect([headers['X-Webhook-Signature'], headers['X-Webhook-Timestamp']]).toEqual([hex(now, body), '1700000000987'])
    expect(headers['webhook-signature']!.split(' ')).toHaveLength(2)
  })
})
