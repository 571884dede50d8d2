// A box with a portal and both providers, none of them real.

import { FakeCartesia } from "./fake-cartesia.ts";
import { FakeElevenLabs } from "./fake-elevenlabs.ts";
import { FakePortal, portalKey } from "./fake-portal.ts";
import { startTestBox, type AskOptions, type TestBox, type TestBoxParts } from "./test-box.ts";

export class VoiceParty {
  readonly portal: FakePortal;
  readonly cartesia: FakeCartesia;
  readonly elevenlabs: FakeElevenLabs;
  readonly box: TestBox;

  private constructor(parts: Pick<VoiceParty, "portal" | "cartesia" | "elevenlabs" | "box">) {
    this.portal = parts.portal;
    this.cartesia = parts.cartesia;
    this.elevenlabs = parts.elevenlabs;
    this.box = parts.box;
  }

  /** `alone`: without a portal. */
  static async start(
    environment: Record<string, string> = {},
    { alone = false, ...parts }: TestBoxParts & { alone?: boolean } = {},
  ): Promise<VoiceParty> {
    const [portal, cartesia, elevenlabs] = await Promise.all([
      FakePortal.start(),
      FakeCartesia.start(),
      FakeElevenLabs.start(),
    ]);
    portal.voices = { engine: "local", default_voice: null, keys: [], unreadable: [] };
    const box = await startTestBox(
      {
        ...(alone ? {} : portal.environment),
        CARTESIA_URL: cartesia.url,
        ELEVENLABS_URL: elevenlabs.url,
        ...environment,
      },
      parts,
    );
    return new VoiceParty({ portal, cartesia, elevenlabs, box });
  }

  /** As the portal's account, whose voices it knows. */
  ask(path: string, options: AskOptions = {}): Promise<Response> {
    return this.box.ask(path, { key: portalKey, ...options });
  }

  /** A reply to a message, spoken into the live session or to a file. */
  async chat(body: object = {}): Promise<{ status: number; answer: Record<string, unknown> }> {
    const response = await this.ask("/api/chat", { body: { message: "Hi", ...body } });
    return { status: response.status, answer: (await response.json()) as Record<string, unknown> };
  }

  /** The portal's account speaks so from now on; `null`: the portal cannot say. */
  speaks(voices: Partial<NonNullable<FakePortal["voices"]>> | null): void {
    const nobody = { engine: "local" as const, default_voice: null, keys: [], unreadable: [] };
    this.portal.voices = voices && { ...nobody, ...voices };
    this.portal.settings = { tts_provider: voices?.engine ?? "local" };
    this.box.services.voices.forget();
  }

  async close(): Promise<void> {
    await this.box.close();
    await Promise.all([this.cartesia.close(), this.elevenlabs.close(), this.portal.close()]);
  }
}
