import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

export const hasDovecot = spawnSync('dovecot', ['--version']).status === 0

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })

const idOf = (user: string, flag: '-u' | '-g'): number => Number(spawnSync('id', [flag, user]).stdout.toString())

/** Dovecot on this machine. Every user exists, with the password `secret`. */
export class DovecotServer {
  readonly #folder = mkdtempSync(join(tmpdir(), 'dovecot-'))
  #process: ChildProcess | undefined
  port = 0

  async start(): Promise<void> {
    this.port = await freePort()
    const isRoot = userInfo().uid === 0
    const owner = isRoot ? 'mail' : userInfo().username
    const [uid, gid] = [idOf(owner, '-u'), idOf(owner, '-g')]
    const mails = join(this.#folder, 'mails')
    chmodSync(this.#folder, 0o755)
    mkdirSync(mails)
    chownSync(mails, uid, gid)
    const users = isRoot
      ? ''
      : `default_internal_user = ${owner}\ndefault_login_user = ${owner}\ndefault_internal_group = ${owner}`
    const file = join(this.#folder, 'dovecot.conf')
    writeFileSync(
      file,
      `base_dir = ${this.#folder}/run
state_dir = ${this.#folder}/state
log_path = ${this.#folder}/log
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
mail_location = maildir:${mails}/%u
first_valid_uid = 1
${users}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${this.port}
  }
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${mails}/%u
}
`,
    )
    this.#process = spawn('dovecot', ['-F', '-c', file], { stdio: 'ignore' })
    for (let tries = 0; tries < 100; tries++) {
      if (await this.#answers()) return
      await delay(50)
    }
    throw new Error(`Dovecot did not start; see ${this.#folder}/log.`)
  }

  stop(): void {
    this.#process?.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #answers(): Promise<boolean> {
    return new Promise((done) => {
      const socket = connect(this.port, '127.0.0.1')
      socket.once('data', () => done(true)).once('error', () => done(false))
      socket.once('data', () => socket.destroy())
    })
  }
}
