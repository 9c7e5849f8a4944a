import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { argon2i, argon2id, setWASMModules } from 'argon2-wasm-edge'

/** Loads the WebAssembly modules, which a bundler for Workers imports. */
export async function loadArgon2Module(): Promise<{
  readonly argon2i: typeof argon2i
  readonly argon2id: typeof argon2id
}> {
  const compile = async (name: string): Promise<WebAssembly.Module> => {
    const url = import.meta.resolve(`argon2-wasm-edge/wasm/${name}.wasm`)
    return WebAssembly.compile(await readFile(fileURLToPath(url)))
  }
  await setWASMModules({
    argon2WASM: await compile('argon2'),
    blake2bWASM: await compile('blake2b'),
  })
  return { argon2i, argon2id }
}
