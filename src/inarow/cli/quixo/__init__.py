"""inarow quixo …"""
