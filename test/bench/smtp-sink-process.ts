import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A fast SMTP server that accepts every mail. It sends its URL. */
const server = new SMTPServer({
  authOptional: true,
  // A search of the name of the client would measure the resolver of the machine.
  disableReverseLookup: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, done) => {
    stream.on('end', () => done())
    stream.resume()
  },
})
const listening = server.listen(0, '127.0.0.1', () => {
  process.send!(`smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`)
})
