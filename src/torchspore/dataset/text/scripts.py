"""Which characters belong to which script; by `tools/write_scripts.py`, from Unicode 14.0.0."""

from __future__ import annotations

__all__ = ["SCRIPTS"]

# For each range of one script: the first code point in hexadecimal, in lower case, and the script's four letters.
SCRIPTS = """
0Zyyy 41Latn 5bZyyy 61Latn 7bZyyy aaLatn abZyyy baLatn bbZyyy c0Latn d7Zyyy d8Latn f7Zyyy f8Latn 2b9Zyyy 2e0Latn
2e5Zyyy 2eaBopo 2ecZyyy 300Zinh 370Grek 374Zyyy 375Grek 37eZyyy 37fGrek 385Zyyy 386Grek 387Zyyy 388Grek 3e2Copt
3f0Grek 400Cyrl 485Zinh 487Cyrl 530Zzzz 531Armn 590Zzzz 591Hebr 5f5Zzzz 600Arab 605Zyyy 606Arab 60cZyyy 60dArab
61bZyyy 61cArab 61fZyyy 620Arab 640Zyyy 641Arab 64bZinh 656Arab 670Zinh 671Arab 6ddZyyy 6deArab 700Syrc 750Arab
780Thaa 7b2Zzzz 7c0Nkoo 800Samr 83fZzzz 840Mand 85fZzzz 860Syrc 86bZzzz 870Arab 8e2Zyyy 8e3Arab 900Deva 951Zinh
955Deva 964Zyyy 966Deva 980Beng 9ffZzzz a01Guru a77Zzzz a81Gujr b00Zzzz b01Orya b78Zzzz b82Taml bfbZzzz c00Telu
c80Knda cf3Zzzz d00Mlym d80Zzzz d81Sinh df5Zzzz e01Thai e3bZzzz e3fZyyy e40Thai e5cZzzz e81Laoo ee0Zzzz f00Tibt
fd5Zyyy fd9Tibt fdbZzzz 1000Mymr 10a0Geor 10fbZyyy 10fcGeor 1100Hang 1200Ethi 139aZzzz 13a0Cher 13feZzzz 1400Cans
1680Ogam 169dZzzz 16a0Runr 16ebZyyy 16eeRunr 16f9Zzzz 1700Tglg 1720Hano 1735Zyyy 1737Zzzz 1740Buhd 1754Zzzz 1760Tagb
1774Zzzz 1780Khmr 17faZzzz 1800Mong 1802Zyyy 1804Mong 1805Zyyy 1806Mong 18abZzzz 18b0Cans 18f6Zzzz 1900Limb 1950Tale
1975Zzzz 1980Talu 19e0Khmr 1a00Bugi 1a20Lana 1aaeZzzz 1ab0Zinh 1acfZzzz 1b00Bali 1b7fZzzz 1b80Sund 1bc0Batk 1c00Lepc
1c50Olck 1c80Cyrl 1c89Zzzz 1c90Geor 1cc0Sund 1cc8Zzzz 1cd0Zinh 1cd3Zyyy 1cd4Zinh 1ce1Zyyy 1ce2Zinh 1ce9Zyyy 1cedZinh
1ceeZyyy 1cf4Zinh 1cf5Zyyy 1cf8Zinh 1cfaZyyy 1cfbZzzz 1d00Latn 1d26Grek 1d2bCyrl 1d2cLatn 1d5dGrek 1d62Latn 1d66Grek
1d6bLatn 1d78Cyrl 1d79Latn 1dbfGrek 1dc0Zinh 1e00Latn 1f00Grek 1fffZzzz 2000Zyyy 200cZinh 200eZyyy 2071Latn 2072Zzzz
2074Zyyy 207fLatn 2080Zyyy 208fZzzz 2090Latn 209dZzzz 20a0Zyyy 20c1Zzzz 20d0Zinh 20f1Zzzz 2100Zyyy 2126Grek 2127Zyyy
212aLatn 212cZyyy 2132Latn 2133Zyyy 214eLatn 214fZyyy 2160Latn 2189Zyyy 2800Brai 2900Zyyy 2c00Glag 2c60Latn 2c80Copt
2d00Geor 2d2eZzzz 2d30Tfng 2d80Ethi 2ddfZzzz 2de0Cyrl 2e00Zyyy 2e5eZzzz 2e80Hani 2fd6Zzzz 2ff0Zyyy 3005Hani 3006Zyyy
3007Hani 3008Zyyy 3021Hani 302aZinh 302eHang 3030Zyyy 3038Hani 303cZyyy 3040Zzzz 3041Hira 3097Zzzz 3099Zinh 309bZyyy
309dHira 30a0Zyyy 30a1Kana 30fbZyyy 30fdKana 3100Zzzz 3105Bopo 3130Zzzz 3131Hang 318fZzzz 3190Zyyy 31a0Bopo 31c0Zyyy
31e4Zzzz 31f0Kana 3200Hang 321fZzzz 3220Zyyy 3260Hang 327fZyyy 32d0Kana 32ffZyyy 3300Kana 3358Zyyy 3400Hani 4dc0Zyyy
4e00Hani a000Yiii a4c7Zzzz a4d0Lisu a500Vaii a62cZzzz a640Cyrl a6a0Bamu a6f8Zzzz a700Zyyy a722Latn a788Zyyy a78bLatn
a800Sylo a82dZzzz a830Zyyy a83aZzzz a840Phag a878Zzzz a880Saur a8daZzzz a8e0Deva a900Kali a92eZyyy a92fKali a930Rjng
a960Hang a97dZzzz a980Java a9ceZzzz a9cfZyyy a9d0Java a9e0Mymr a9ffZzzz aa00Cham aa60Mymr aa80Tavt aae0Mtei aaf7Zzzz
ab01Ethi ab2fZzzz ab30Latn ab5bZyyy ab5cLatn ab65Grek ab66Latn ab6aZyyy ab6cZzzz ab70Cher abc0Mtei abfaZzzz ac00Hang
d7fcZzzz f900Hani fadaZzzz fb00Latn fb07Zzzz fb13Armn fb18Zzzz fb1dHebr fb50Arab fd3eZyyy fd40Arab fe00Zinh fe10Zyyy
fe1aZzzz fe20Zinh fe2eCyrl fe30Zyyy fe6cZzzz fe70Arab fefdZzzz feffZyyy ff21Latn ff3bZyyy ff41Latn ff5bZyyy ff66Kana
ff70Zyyy ff71Kana ff9eZyyy ffa0Hang ffddZzzz ffe0Zyyy fffeZzzz 10000Linb 100fbZzzz 10100Zyyy 10140Grek 1018fZzzz
10190Zyyy 1019dZzzz 101a0Grek 101a1Zzzz 101d0Zyyy 101fdZinh 101feZzzz 10280Lyci 1029dZzzz 102a0Cari 102d1Zzzz
102e0Zinh 102e1Zyyy 102fcZzzz 10300Ital 10330Goth 1034bZzzz 10350Perm 1037bZzzz 10380Ugar 103a0Xpeo 103d6Zzzz
10400Dsrt 10450Shaw 10480Osma 104aaZzzz 104b0Osge 104fcZzzz 10500Elba 10528Zzzz 10530Aghb 10570Vith 105bdZzzz
10600Lina 10768Zzzz 10780Latn 107bbZzzz 10800Cprt 10840Armi 10860Palm 10880Nbat 108b0Zzzz 108e0Hatr 10900Phnx
10920Lydi 10940Zzzz 10980Mero 109a0Merc 10a00Khar 10a59Zzzz 10a60Sarb 10a80Narb 10aa0Zzzz 10ac0Mani 10af7Zzzz
10b00Avst 10b40Prti 10b60Phli 10b80Phlp 10bb0Zzzz 10c00Orkh 10c49Zzzz 10c80Hung 10d00Rohg 10d3aZzzz 10e60Arab
10e7fZzzz 10e80Yezi 10eb2Zzzz 10f00Sogo 10f28Zzzz 10f30Sogd 10f5aZzzz 10f70Ougr 10f8aZzzz 10fb0Chrs 10fccZzzz
10fe0Elym 10ff7Zzzz 11000Brah 11080Kthi 110ceZzzz 110d0Sora 110faZzzz 11100Cakm 11148Zzzz 11150Mahj 11177Zzzz
11180Shrd 111e0Zzzz 111e1Sinh 111f5Zzzz 11200Khoj 1123fZzzz 11280Mult 112aaZzzz 112b0Sind 112faZzzz 11300Gran
1133aZzzz 1133bZinh 1133cGran 11375Zzzz 11400Newa 11462Zzzz 11480Tirh 114daZzzz 11580Sidd 115deZzzz 11600Modi
1165aZzzz 11660Mong 1166dZzzz 11680Takr 116caZzzz 11700Ahom 11747Zzzz 11800Dogr 1183cZzzz 118a0Wara 11900Diak
1195aZzzz 119a0Nand 119e5Zzzz 11a00Zanb 11a48Zzzz 11a50Soyo 11aa3Zzzz 11ab0Cans 11ac0Pauc 11af9Zzzz 11c00Bhks
11c6dZzzz 11c70Marc 11cb7Zzzz 11d00Gonm 11d5aZzzz 11d60Gong 11daaZzzz 11ee0Maka 11ef9Zzzz 11fb0Lisu 11fb1Zzzz
11fc0Taml 12000Xsux 12544Zzzz 12f90Cpmn 12ff3Zzzz 13000Egyp 13439Zzzz 14400Hluw 14647Zzzz 16800Bamu 16a39Zzzz
16a40Mroo 16a70Tnsa 16acaZzzz 16ad0Bass 16af6Zzzz 16b00Hmng 16b90Zzzz 16e40Medf 16e9bZzzz 16f00Plrd 16fa0Zzzz
16fe0Tang 16fe1Nshu 16fe2Hani 16fe4Kits 16fe5Zzzz 16ff0Hani 16ff2Zzzz 17000Tang 18b00Kits 18cd6Zzzz 18d00Tang
18d09Zzzz 1aff0Kana 1b001Hira 1b120Kana 1b123Zzzz 1b150Hira 1b153Zzzz 1b164Kana 1b168Zzzz 1b170Nshu 1b2fcZzzz
1bc00Dupl 1bca0Zyyy 1bca4Zzzz 1cf00Zinh 1cf47Zzzz 1cf50Zyyy 1d167Zinh 1d16aZyyy 1d17bZinh 1d183Zyyy 1d185Zinh
1d18cZyyy 1d1aaZinh 1d1aeZyyy 1d1ebZzzz 1d200Grek 1d246Zzzz 1d2e0Zyyy 1d800Sgnw 1dab0Zzzz 1df00Latn 1df1fZzzz
1e000Glag 1e02bZzzz 1e100Hmnp 1e150Zzzz 1e290Toto 1e2afZzzz 1e2c0Wcho 1e300Zzzz 1e7e0Ethi 1e7ffZzzz 1e800Mend
1e8d7Zzzz 1e900Adlm 1e960Zzzz 1ec71Zyyy 1ed3eZzzz 1ee00Arab 1eef2Zzzz 1f000Zyyy 1f200Hira 1f201Zyyy 1fbfaZzzz
20000Hani 3134bZzzz e0001Zyyy e0080Zzzz e0100Zinh e01f0Zzzz
"""
